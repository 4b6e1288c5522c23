//! Reads `dotnet test` and the `VSTest` console, with xUnit, `NUnit` and `MSTest`.

use super::Tool;
use crate::console::{Console, Dialect, Event, without_duration};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Dotnet>>(
    &[
        "Starting test execution, please wait",
        "Failed!  - Failed:",
        "Passed!  - Failed:",
        "Test Run Failed.",
        "Test Run Successful.",
        "Test summary: ",
        "Total tests: ",
    ],
    &[],
)
.woken_by_ends(&["[FAIL]"]);

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
        // `[xUnit.net 00:00:00.50]     Shop.CartTest.SumsUp [FAIL]`
        if bare.starts_with("[xUnit.net ") {
            return Event::Other;
        }
        Event::Text
    }
}
