//! Reads Playwright's reporters for people: list, line, dot and github.

use crate::console::{Dialect, Event, without_duration};
use crate::place;
use crate::session::Failure;
use crate::totals::Totals;

#[derive(Default)]
pub(super) struct Lines {
    /// In the list at the end.
    in_list: Option<List>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Failed,
    /// Passed when retried, or did not run.
    Other,
}

impl Dialect for Lines {
    const FRAMEWORK: &'static str = "playwright";

    fn event(&mut self, text: &str) -> Event {
        if text.starts_with("Running ") && (text.ends_with(" worker") || text.contains(" workers"))
        {
            return Event::Begin;
        }
        if let Some(rest) = text.strip_prefix("  ")
            && let Some(event) = self.summary(rest)
        {
            return event;
        }
        if let Some(event) = self.in_list.and_then(|list| listed(list, text)) {
            return event;
        }
        let bare = text.trim_start();
        if let Some(title) = crate::console::numbered(bare).and_then(test)
            && text.ends_with('─')
        {
            return Event::Failed(title);
        }
        // An error outside of tests has no title.
        if self.in_list.is_none()
            && (text.starts_with("Error: ") || text.starts_with("SyntaxError: "))
        {
            return Event::Broke(Failure::named(text));
        }
        let is_progress = bare.starts_with(['✓', '✘', '-', '[']) && bare.contains(" › ");
        if is_progress {
            Event::Other
        } else {
            Event::Text
        }
    }
}

impl Lines {
    /// `  3 failed`, `  1 flaky`, `  2 passed (1.2s)`
    fn summary(&mut self, text: &str) -> Option<Event> {
        let (number, label) = without_duration(text).split_once(' ')?;
        let number = number.parse().ok()?;
        let mut totals = Totals::default();
        self.in_list = Some(List::Other);
        match label {
            "passed" => {
                self.in_list = None;
                totals.passed = Some(number);
            }
            "failed" | "interrupted" => {
                self.in_list = Some(List::Failed);
                totals.failed = Some(number);
            }
            "skipped" => totals.skipped = Some(number),
            "flaky"
            | "did not run"
            | "error was not a part of any test, see above for details"
            | "errors were not a part of any test, see above for details" => {}
            _ => return None,
        }
        Some(Event::Totals(totals))
    }
}

fn listed(list: List, text: &str) -> Option<Event> {
    let failure = test(text.strip_prefix("    ")?)?;
    Some(match list {
        List::Failed => Event::Failed(failure),
        List::Other => Event::Other,
    })
}

/// `[chromium] › tests/a.spec.js:4:3 › suite › title ────`
fn test(text: &str) -> Option<Failure> {
    let text = text.trim_end_matches(['─', ' ']);
    let (project, rest) = match text
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] › "))
    {
        Some((project, rest)) => (Some(project), rest),
        None => (None, text),
    };
    let (at, title) = rest.split_once(" › ")?;
    let (file, line, _) = place::leading(at)?;
    let name = match project {
        Some(project) => format!("[{project}] › {title}"),
        None => title.to_owned(),
    };
    Some(Failure::named(name).at(file, Some(line)))
}
