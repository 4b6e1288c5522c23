//! Reads the annotations that runners print for GitHub's workflows:
//! `::error file=a.test.js,line=7,title=…::message`. Counts only where no tests
//! were recognised, which also holds for the list of `RSpec`'s `failures` format.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::place::{self, same_file};
use crate::session::Failure;

pub(crate) const FRAMEWORK: &str = "annotations";

pub(super) const TOOL: Tool =
    Tool::text::<Console<Annotations>>(&["::error file=", "./spec/"], &[]);

#[derive(Default)]
struct Annotations;

impl Dialect for Annotations {
    const FRAMEWORK: &'static str = FRAMEWORK;
    const IS_GUESS: bool = true;
    const MAX_IDLE_LINES: u32 = 1;

    fn event(&mut self, text: &str) -> Event {
        failure(text)
            .or_else(|| listed(text))
            .map_or(Event::Text, Event::Failed)
    }
}

/// `./spec/cart_spec.rb:3:sums up`, of `RSpec`'s `failures` format.
fn listed(text: &str) -> Option<Failure> {
    let (file, line, rest) = place::leading(text)?;
    let title = rest.strip_prefix(':')?;
    let is_spec = file.starts_with("./") && file.ends_with("_spec.rb");
    let is_frame = title.starts_with([' ', '\'', '`']) || title.starts_with("in ");
    (is_spec && !is_frame && !title.is_empty()).then(|| Failure::named(title).at(file, Some(line)))
}

fn failure(text: &str) -> Option<Failure> {
    let (properties, message) = text.strip_prefix("::error ")?.split_once("::")?;
    let value = |key: &str| {
        let each = properties
            .split(',')
            .filter_map(|pair| pair.split_once('='));
        let mut found = each.filter(|(name, _)| name.trim() == key);
        found.next().map(|(_, value)| decoded(value))
    };
    let file = value("file")?;
    let title = value("title")?;
    // The title may repeat the file before the name of the test.
    let name = match title.split_once([' ', '›', '>']) {
        Some((first, rest)) if same_file(first, &file) => rest.trim_start_matches([' ', '>', '›']),
        _ => &title,
    };
    let line = value("line").and_then(|line| line.parse().ok());
    Some(
        Failure::named(name)
            .at(file, line)
            .because(decoded(message)),
    )
}

fn decoded(text: &str) -> String {
    text.replace("%0A", "\n")
        .replace("%0D", "")
        .replace("%3A", ":")
        .replace("%2C", ",")
        .replace("%25", "%")
}
