//! Reads the annotations that runners print for GitHub's workflows:
//! `::error file=a.test.js,line=7,title=…::message`. Counts only where no tests
//! were recognised.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::place::same_file;
use crate::session::Failure;

pub(crate) const FRAMEWORK: &str = "annotations";

pub(super) const TOOL: Tool = Tool::text::<Console<Annotations>>(&["::error file="], &[]);

#[derive(Default)]
struct Annotations;

impl Dialect for Annotations {
    const FRAMEWORK: &'static str = FRAMEWORK;
    const IS_GUESS: bool = true;
    const MAX_IDLE_LINES: u32 = 1;

    fn event(&mut self, text: &str) -> Event {
        failure(text).map_or(Event::Text, Event::Failed)
    }
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
