//! Reads testthat, of R.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::place;
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool =
    Tool::text::<Console<Testthat>>(&["[ FAIL ", "Failure (", "Error (", "── "], &[]);

#[derive(Default)]
struct Testthat;

impl Dialect for Testthat {
    const FRAMEWORK: &'static str = "testthat";

    fn event(&mut self, text: &str) -> Event {
        if text.starts_with("[ FAIL ")
            && let Some(totals) = Totals::read(text)
        {
            return Event::Totals(totals);
        }
        if text.starts_with("──────") || text.starts_with("══") {
            return Event::Other;
        }
        title(text).unwrap_or(Event::Text)
    }
}

/// `── 1. Failure ('test-cart.R:5:3'): it sums up ────`
fn title(text: &str) -> Option<Event> {
    let title = text.trim_start_matches("── ").trim_end_matches(['─', ' ']);
    let title = match title.split_once(". ") {
        Some((number, rest)) if number.parse::<u64>().is_ok() => rest,
        _ => title,
    };
    let (kind, rest) = title.split_once(" (")?;
    let (at, name) = rest.split_once("): ")?;
    let (file, line, _) = place::leading(at.trim_matches('\''))?;
    match kind {
        "Failure" | "Error" => Some(Event::Failed(Failure::named(name).at(file, Some(line)))),
        "Skip" | "Warning" => Some(Event::Other),
        _ => None,
    }
}
