//! Reads `ExUnit`, Elixir's `mix test`.

use super::Tool;
use crate::console::{Console, Dialect, Event, numbered};
use crate::place;
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Exunit>>(
    &[
        "1) test ",
        "1) property ",
        "1) doctest ",
        "Randomized with seed",
        "Running ExUnit with seed",
    ],
    &[],
);

#[derive(Default)]
struct Exunit;

impl Dialect for Exunit {
    const FRAMEWORK: &'static str = "exunit";

    fn event(&mut self, text: &str) -> Event {
        if text.starts_with("Running ExUnit with seed") {
            return Event::Begin;
        }
        if let Some(title) = numbered(text)
            && text.starts_with(' ')
            && title.ends_with(')')
            && let Some((kind, _)) = title.split_once(' ')
            && matches!(kind, "test" | "property" | "doctest")
        {
            return Event::Failed(Failure::named(title));
        }
        // Where the test begins, not where it failed.
        if let Some((file, _, "")) = place::leading(text.trim())
            && text.starts_with("     ")
            && place::extension(file) == "exs"
        {
            return Event::Ignored;
        }
        if text.starts_with("Finished in ") || text.starts_with("  * ") {
            return Event::Other;
        }
        if text.starts_with("Randomized with seed") {
            return Event::End(Totals::default());
        }
        if !text.starts_with(' ')
            && (text.contains(" test") || text.contains(" propert") || text.contains(" doctest"))
            && let Some(totals) = summary(text)
        {
            return Event::Totals(totals);
        }
        Event::Text
    }
}

/// `1 doctest, 2 properties, 4 tests, 2 failures (1 excluded), 1 skipped`
fn summary(text: &str) -> Option<Totals> {
    let mut totals = Totals::default();
    for part in text.split(", ") {
        let (number, label) = place::number(part)?;
        let word = label.trim().split(' ').next()?;
        let sum = |known: Option<u64>| Some(known.unwrap_or(0).saturating_add(number));
        match word.trim_end_matches('s') {
            "test" | "doctest" | "property" | "propertie" => totals.total = sum(totals.total),
            "failure" => totals.failed = Some(number),
            "invalid" | "skipped" => totals.skipped = sum(totals.skipped),
            "excluded" => {}
            _ => return None,
        }
    }
    totals.failed.is_some().then_some(totals)
}
