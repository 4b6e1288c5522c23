//! Reads `CTest`.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Ctest>>(
    &["Test project ", "The following tests FAILED:"],
    &[" passed"],
);

#[derive(Default)]
struct Ctest {
    in_list: bool,
}

impl Dialect for Ctest {
    const FRAMEWORK: &'static str = "ctest";

    fn event(&mut self, text: &str) -> Event {
        let bare = text.trim();
        if text.starts_with("Test project ") {
            return Event::Begin;
        }
        if let Some((_, rest)) = bare.split_once("% tests passed") {
            let number = |part: &str| part.split(' ').find_map(|word| word.parse::<u64>().ok());
            let (failed, total) = rest.split_once(" out of ").unwrap_or(("0", ""));
            // Tests that did not run are in neither number.
            return Event::Totals(Totals {
                passed: number(total)
                    .map(|total| total.saturating_sub(number(failed).unwrap_or(0))),
                failed: number(failed),
                ..Totals::default()
            });
        }
        if bare == "The following tests FAILED:" {
            self.in_list = true;
            return Event::Other;
        }
        if self.in_list {
            return match bare
                .split_once(" - ")
                .and_then(|(_, rest)| rest.rsplit_once(" ("))
            {
                Some((name, reason)) if !reason.starts_with("Disabled") => {
                    Event::Failed(Failure::named(name))
                }
                _ => {
                    self.in_list = false;
                    Event::End(Totals::default())
                }
            };
        }
        result(bare).unwrap_or(Event::Text)
    }
}

/// `2/4 Test #2: sums_up ........***Failed    0.00 sec`
fn result(text: &str) -> Option<Event> {
    let (_, rest) = text.split_once("Test #")?;
    let (number, rest) = rest.split_once(": ")?;
    number.trim().parse::<u64>().ok()?;
    let name = rest.split(' ').next()?;
    let verdict = rest.get(name.len()..)?.trim_start_matches([' ', '.']);
    let failed = || Event::Failed(Failure::named(name));
    Some(match verdict.trim_start_matches('*') {
        verdict if verdict.starts_with("Passed") => Event::Passed,
        verdict if verdict.starts_with("Skipped") || verdict.contains("(Disabled)") => {
            Event::Skipped
        }
        verdict if verdict.starts_with("Not Run") => failed(),
        "" => return None,
        _ => failed(),
    })
}
