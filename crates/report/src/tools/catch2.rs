//! Reads Catch2 and doctest, of C++.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::place;
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Catch2>>(
    &[
        "test cases: ",
        "[doctest] ",
        "Failed ",
        "All tests passed (",
        "TEST CASE: ",
        "is a Catch v",
        "is a Catch2 v",
        RULE,
    ],
    &[],
);

/// Between the title of a test and what failed in it.
const RULE: &str =
    "-------------------------------------------------------------------------------";
/// Below what failed, or above the next test in doctest.
const DOTS: &str =
    "...............................................................................";
const DOUBLE_RULE: &str =
    "===============================================================================";

#[derive(Default)]
struct Catch2 {
    state: State,
    /// The test case and its sections.
    title: Vec<String>,
}

#[derive(Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// Between the rules around a title.
    Title,
    Body,
}

impl Dialect for Catch2 {
    const FRAMEWORK: &'static str = "catch2";

    fn event(&mut self, text: &str) -> Event {
        if text.contains(" is a Catch v")
            || text.contains(" is a Catch2 v")
            || text.starts_with("[doctest] doctest version")
        {
            return Event::Begin;
        }
        if text == RULE {
            if self.state == State::Title {
                self.state = State::Body;
            } else {
                self.title.clear();
                self.state = State::Title;
            }
            return Event::Other;
        }
        if let Some(name) = text.strip_prefix("TEST CASE:") {
            self.title = vec![name.trim().to_owned()];
            self.state = State::Body;
            return Event::Other;
        }
        if text == DOUBLE_RULE || text == DOTS {
            return Event::Other;
        }
        if let Some(totals) = summary(text) {
            return totals;
        }
        if self.state == State::Title {
            // The place follows below a second rule.
            self.title.push(text.trim().to_owned());
            return Event::Other;
        }
        if self.state == State::Body
            && let Some((file, line, verdict)) = place::leading(text)
            && [": FAILED:", ": ERROR: ", ": FATAL ERROR: "]
                .iter()
                .any(|known| verdict.starts_with(known))
        {
            return Event::Failed(Failure::named(self.title.join(" > ")).at(file, Some(line)));
        }
        Event::Text
    }
}

/// `test cases: 4 | 1 passed | 3 failed`, the same of doctest, and
/// `All tests passed (2 assertions in 2 test cases)`.
fn summary(text: &str) -> Option<Event> {
    if let Some(rest) = text.strip_prefix("All tests passed (") {
        let (_, cases) = rest.split_once(" in ")?;
        let passed = cases.split(' ').next()?.parse().ok();
        let totals = Totals {
            passed,
            failed: Some(0),
            ..Totals::default()
        };
        return Some(Event::End(totals));
    }
    // `Failed 3 test cases, failed 4 assertions.` of the compact reporter.
    if let Some(rest) = text.strip_prefix("Failed ")
        && let Some((number, rest)) = rest.split_once(" test case")
        && rest.contains("assertion")
    {
        return Some(Event::End(Totals {
            failed: number.parse().ok(),
            ..Totals::default()
        }));
    }
    let line = text.strip_prefix("[doctest] ").unwrap_or(text);
    if let Some(cases) = line.strip_prefix("test cases:") {
        let totals = Totals::read(&format!("tests: {cases}"))?;
        return Some(Event::Totals(totals));
    }
    let is_last = line.starts_with("assertions:") || line.starts_with("Status:");
    (is_last && line.contains(['|', '!'])).then_some(Event::Other)
}
