//! Reads Robot Framework.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Robot>>(&[DOUBLE_RULE, "Running suite '"], &[])
    .woken_by_ends(&["| FAIL |", "| PASS |"]);

const DOUBLE_RULE: &str =
    "==============================================================================";
const RULE: &str = "------------------------------------------------------------------------------";

#[derive(Default)]
struct Robot {
    /// The suite whose tests are being reported.
    suite: String,
    /// The next line is the name of a suite.
    after_rule: bool,
    has_totals: bool,
    is_dotted: bool,
}

impl Dialect for Robot {
    const FRAMEWORK: &'static str = "robot";

    fn event(&mut self, text: &str) -> Event {
        let after_rule = std::mem::take(&mut self.after_rule);
        if text == DOUBLE_RULE {
            self.after_rule = true;
            return Event::Other;
        }
        if text == RULE {
            return Event::Other;
        }
        if text.starts_with("Running suite '") {
            self.is_dotted = true;
            return Event::Begin;
        }
        if let Some(rest) = text.strip_prefix("FAIL: ")
            && self.is_dotted
        {
            return Event::Failed(Failure::named(rest));
        }
        if text.starts_with("Output:  ") {
            self.is_dotted = false;
            return if std::mem::take(&mut self.has_totals) {
                Event::End(Totals::default())
            } else {
                Event::Text
            };
        }
        if text.starts_with(|c: char| c.is_ascii_digit())
            && (text.contains(" tests, ") || text.contains(" test, "))
            && text.contains(" passed, ")
            && let Some(totals) = Totals::read(text)
        {
            // The suite's totals come first, those of all suites last.
            self.has_totals = true;
            return Event::Totals(Totals {
                skipped: totals.skipped.or(Some(0)),
                ..totals
            });
        }
        let verdict = ["| PASS |", "| FAIL |", "| SKIP |"]
            .into_iter()
            .find_map(|verdict| Some((verdict, text.strip_suffix(verdict)?.trim())));
        if let Some((verdict, title)) = verdict {
            return self.verdict(verdict, title);
        }
        if after_rule && !text.is_empty() && !text.starts_with("Run suite") {
            let name = text.split(" :: ").next().unwrap_or(text);
            name.trim().clone_into(&mut self.suite);
            return Event::Text;
        }
        Event::Text
    }
}

impl Robot {
    fn verdict(&mut self, verdict: &str, title: &str) -> Event {
        let name = title.split(" :: ").next().unwrap_or(title).trim();
        // The suite itself.
        if name == self.suite || title.is_empty() || self.suite.starts_with(&format!("{name}.")) {
            return Event::Other;
        }
        match verdict {
            "| PASS |" => Event::Passed,
            "| SKIP |" => Event::Skipped,
            _ if self.suite.is_empty() => Event::Failed(Failure::named(name)),
            _ => Event::Failed(Failure::named(format!("{}.{name}", self.suite))),
        }
    }
}
