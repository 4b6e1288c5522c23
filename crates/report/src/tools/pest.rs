//! Reads Pest, of PHP, and Laravel's `artisan test`.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool =
    Tool::text::<Console<Pest>>(&["FAIL  Tests\\", "PASS  Tests\\", "FAILED  ", "⨯ "], &[]);

#[derive(Default)]
struct Pest;

impl Dialect for Pest {
    const FRAMEWORK: &'static str = "pest";

    fn event(&mut self, text: &str) -> Event {
        let bare = text.trim();
        if let Some(title) = bare.strip_prefix("FAILED  ") {
            // The kind of exception may follow in a column of its own.
            let name = title.split("   ").next().unwrap_or(title);
            return Event::Failed(Failure::named(name.trim()));
        }
        if let Some(numbers) = bare.strip_prefix("Tests:  ")
            && let Some(totals) = Totals::read(numbers)
        {
            return Event::Totals(Totals {
                failed: totals.failed.or(Some(0)),
                ..totals
            });
        }
        if bare.starts_with("Duration: ") {
            return Event::End(Totals::default());
        }
        if bare.starts_with("────") || bare.starts_with("⨯ ") || bare.starts_with("FAIL  ")
        {
            return Event::Other;
        }
        Event::Text
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_summary_explains_failures() {
        let lines = [
            "",
            "   FAIL  Tests\\Unit\\CartTest",
            "  ✓ it adds a thing                                                     0.01s  ",
            "  ⨯ it sums up                                                          0.01s  ",
            "  - it is for later → later",
            "  ──────────────────────────────────────────────────────────────────────────  ",
            "   FAILED  Tests\\Unit\\CartTest > it sums up                                   ",
            "  Failed asserting that 2 is identical to 3.",
            "",
            "  at tests/Unit/CartTest.php:8",
            "",
            "  1   tests/Unit/CartTest.php:8",
            "",
            "",
            "  Tests:    1 failed, 1 skipped, 1 passed (2 assertions)",
            "  Duration: 0.08s",
        ];
        let report = crate::read(lines.join("\n").as_bytes());
        let counts = report.counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped), (1, 1, 1));
        let failure = &report.failures[0];
        assert_eq!(failure.name, "Tests\\Unit\\CartTest > it sums up");
        let place = (failure.file.as_deref(), failure.line);
        assert_eq!(place, (Some("tests/Unit/CartTest.php"), Some(8)));
        assert_eq!(report.failures.len(), 1);
    }
}
