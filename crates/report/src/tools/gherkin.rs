//! Reads behave and Cucumber, of all languages.

use super::Tool;
use crate::console::{Console, Dialect, Event, numbered};
use crate::place;
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Gherkin>>(
    &[
        "Feature: ",
        "Failing scenarios:",
        "Failing Scenarios:",
        "Failures:",
    ],
    &[" passed", " failed"],
);

#[derive(Default)]
struct Gherkin {
    in_list: bool,
}

impl Dialect for Gherkin {
    const FRAMEWORK: &'static str = "cucumber";

    fn event(&mut self, text: &str) -> Event {
        let bare = text.trim();
        if bare == "Failing scenarios:"
            || bare == "Failing Scenarios:"
            || bare == "(::) failed steps (::)"
        {
            self.in_list = true;
            return Event::Other;
        }
        let word = bare.split([' ', '(']).nth(1).unwrap_or_default();
        if bare.starts_with(|c: char| c.is_ascii_digit())
            && word.trim_end_matches(',').starts_with("scenario")
        {
            self.in_list = false;
            return match Totals::read(bare) {
                Some(totals) => Event::Totals(Totals {
                    // Cucumber leaves out what did not happen.
                    failed: totals.failed.or(Some(0)),
                    ..totals
                }),
                None => Event::Text,
            };
        }
        if self.in_list
            && let Some(failure) = listed(bare)
        {
            return Event::Failed(failure);
        }
        // `1) Scenario: sums up # features/cart.feature:7`, of Cucumber for JavaScript.
        if let Some(scenario) = numbered(text).and_then(|title| title.strip_prefix("Scenario: "))
            && let Some(failure) = scenario_at(scenario)
        {
            return Event::Failed(failure);
        }
        let is_heading = ["Scenario: ", "Scenario Outline: ", "Feature: "]
            .iter()
            .any(|heading| bare.starts_with(heading));
        if is_heading || bare.is_empty() {
            return Event::Other;
        }
        Event::Text
    }
}

/// `features/cart.feature:8  sums up`, or
/// `cucumber features/cart.feature:6 # Scenario: sums up`.
fn listed(text: &str) -> Option<Failure> {
    let text = text.strip_prefix("cucumber ").unwrap_or(text);
    let (file, line, rest) = place::leading(text)?;
    if !file.ends_with(".feature") || rest.starts_with(":in ") {
        return None;
    }
    let name = rest.trim_start_matches([' ', '#']);
    let name = name.strip_prefix("Scenario: ").unwrap_or(name);
    Some(Failure::named(name).at(file, Some(line)))
}

fn scenario_at(text: &str) -> Option<Failure> {
    let (name, at) = text.rsplit_once(" # ")?;
    let (file, line, _) = place::leading(at)?;
    Some(Failure::named(name).at(file, Some(line)))
}
