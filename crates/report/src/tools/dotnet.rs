//! Reads `dotnet test` and the `VSTest` console, with xUnit, `NUnit` and `MSTest`.

use super::Tool;
use crate::console::{Console, Dialect, Event, without_duration};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Dotnet>>(
    &[
        "Starting test execution, please wait",
        "Failed ",
        "Passed ",
        "Failed!  - Failed:",
        "Passed!  - Failed:",
        "Test Run Failed.",
        "Test Run Successful.",
        "Test summary: ",
        "Total tests: ",
    ],
    &[],
)
.woken_by_ends(&["[FAIL]", "error TESTERROR:"]);

#[derive(Default)]
struct Dotnet;

impl Dialect for Dotnet {
    const FRAMEWORK: &'static str = "dotnet-test";

    fn event(&mut self, text: &str) -> Event {
        let bare = text.trim();
        if text.starts_with("Starting test execution, please wait") {
            return Event::Begin;
        }
        if let Some(rest) = text
            .strip_prefix("Failed!  - ")
            .or_else(|| text.strip_prefix("Passed!  - "))
            && let Some((numbers, _)) = rest.split_once(", Duration:")
            && let Some(totals) = Totals::read(numbers)
        {
            return Event::End(totals);
        }
        if let Some(rest) = text.strip_prefix("Test summary: ") {
            let numbers = rest.split(", duration").next().unwrap_or(rest);
            return Totals::read(numbers).map_or(Event::Text, Event::End);
        }
        let is_total = ["Total tests: ", "Passed: ", "Failed: ", "Skipped: "]
            .iter()
            .any(|label| bare.starts_with(label));
        if is_total && let Some(totals) = Totals::read(bare) {
            return Event::Totals(totals);
        }
        // `  Failed Shop.CartTest.SumsUp [12 ms]`
        if let Some((verdict, title)) = bare.split_once(' ')
            && text.starts_with("  ")
            && !title.starts_with(' ')
            && bare.ends_with(']')
        {
            match verdict {
                "Passed" => return Event::Passed,
                "Skipped" => return Event::Skipped,
                "Failed" => return Event::Failed(Failure::named(without_duration(title))),
                _ => {}
            }
        }
        // `      Shop.CartTests.SumsUp (4ms): Error Message: …` of newer versions.
        if let Some((title, message)) = bare.split_once("): Error Message:")
            && let Some((name, _)) = title.rsplit_once(" (")
        {
            return Event::Failed(Failure::named(name).because(message.trim()));
        }
        if bare.ends_with(": error TESTERROR:") {
            return Event::Other;
        }
        // `[xUnit.net 00:00:00.50]     Shop.CartTest.SumsUp [FAIL]`
        if bare.starts_with("[xUnit.net ") {
            return Event::Other;
        }
        Event::Text
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn newer_versions_print_errors_like_a_compiler() {
        let lines = [
            "  Shop.Tests test failed with 1 error(s) (1.2s)",
            "    /home/dev/app/CartTests.cs(12): error TESTERROR:",
            "      Shop.Tests.CartTests.SumsUp (4ms): Error Message: Assert.Equal() Failure: Values differ",
            "      Expected: 3",
            "      Actual:   2",
            "      Stack Trace:",
            "         at Shop.Tests.CartTests.SumsUp() in /home/dev/app/CartTests.cs:line 12",
            "",
            "Test summary: total: 4, failed: 1, succeeded: 2, skipped: 1, duration: 1.2s",
            "Build failed with 1 error(s) in 3.4s",
        ];
        let report = crate::read(lines.join("\n").as_bytes());
        let counts = report.counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped), (2, 1, 1));
        let failure = &report.failures[0];
        assert_eq!(failure.name, "Shop.Tests.CartTests.SumsUp");
        let place = (failure.file.as_deref(), failure.line);
        assert_eq!(place, (Some("/home/dev/app/CartTests.cs"), Some(12)));
        assert_eq!(report.failures.len(), 1);
    }
}
