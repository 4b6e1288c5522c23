//! Reads `PHPUnit`.

use super::Tool;
use crate::console::{Console, Dialect, Event, numbered};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Phpunit>>(
    &[
        "PHPUnit ",
        "There was 1 ",
        "There were ",
        "OK (",
        "OK, but ",
        "Tests: ",
    ],
    &[],
);

#[derive(Default)]
struct Phpunit {
    /// Whether the list that is being printed has failures.
    list: Option<bool>,
}

impl Dialect for Phpunit {
    const FRAMEWORK: &'static str = "phpunit";

    fn event(&mut self, text: &str) -> Event {
        if text.starts_with("PHPUnit ") && text.contains(" by Sebastian Bergmann") {
            self.list = None;
            return Event::Begin;
        }
        if let Some(rest) = text
            .strip_prefix("There was ")
            .or_else(|| text.strip_prefix("There were "))
            && text.ends_with(':')
        {
            self.list = Some(rest.contains(" failure") || rest.contains(" error"));
            return Event::Other;
        }
        if text == "--" {
            return Event::Other;
        }
        if let Some(is_failure) = self.list
            && let Some(title) = numbered(text)
        {
            return if is_failure {
                Event::Failed(Failure::named(name(title)))
            } else {
                Event::Other
            };
        }
        let is_verdict =
            ["FAILURES!", "ERRORS!", "WARNINGS!"].contains(&text) || text.starts_with("OK, but ");
        if is_verdict {
            self.list = None;
            return Event::Other;
        }
        let totals = text
            .strip_prefix("OK ")
            .or_else(|| text.starts_with("Tests: ").then_some(text));
        if let Some(totals) = totals.and_then(Totals::read)
            && text.contains("ssertions")
        {
            return Event::End(totals);
        }
        Event::Text
    }
}

/// The name that `--filter` takes: without the values behind a data set's name.
fn name(title: &str) -> &str {
    match title.split_once(" with data set ") {
        Some((_, set)) => match set.rfind(" (") {
            Some(at) => &title[..title.len() - set.len() + at],
            None => title,
        },
        None => title,
    }
}
