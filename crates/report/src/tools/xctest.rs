//! Reads `XCTest` and Swift Testing.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::place;
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Xctest>>(
    &[
        "Test Suite '",
        "Test Case '",
        "◇ Test run started",
        "✘ Test ",
        "✔ Test ",
    ],
    &[],
);

#[derive(Default)]
struct Xctest;

impl Dialect for Xctest {
    const FRAMEWORK: &'static str = "xctest";
    const EXPLAINS_ABOVE: bool = true;

    fn event(&mut self, text: &str) -> Event {
        if let Some(rest) = text.strip_prefix("Test Case '") {
            return match rest.split_once('\'') {
                Some((name, verdict)) if verdict.starts_with(" failed") => {
                    Event::FailedAbove(Failure::named(selector(name)))
                }
                Some((_, verdict)) if verdict.starts_with(" passed") => Event::Passed,
                Some((_, verdict)) if verdict.starts_with(" skipped") => Event::Skipped,
                _ => Event::Other,
            };
        }
        if text.starts_with("Test Suite '") {
            let is_all = text.starts_with("Test Suite 'All tests' started")
                || text.starts_with("Test Suite 'Selected tests' started");
            return if is_all { Event::Begin } else { Event::Other };
        }
        if let Some(event) = error(text) {
            return event;
        }
        if text.starts_with("◇ Test run started") {
            return Event::Begin;
        }
        swift_testing(text).unwrap_or(Event::Text)
    }
}

/// `-[ShopTests.CartTests testSumsUp]` and `CartTests.testSumsUp`, as
/// `swift test --filter` takes them.
fn selector(name: &str) -> String {
    let name = name.trim_start_matches("-[").trim_end_matches(']');
    name.replacen(' ', "/", 1)
}

/// `/app/Tests/CartTests.swift:9: error: -[ShopTests.CartTests testSumsUp] : …`
fn error(text: &str) -> Option<Event> {
    let (file, line, rest) = place::leading(text)?;
    let (name, message) = rest.strip_prefix(": error: ")?.split_once(" : ")?;
    let is_name = name.starts_with("-[") || (name.contains('.') && !name.contains(' '));
    is_name.then(|| {
        let failure = Failure::named(selector(name)).at(file, Some(line));
        Event::FailedAbove(failure.because(message))
    })
}

/// `✘ Test sumsUp() recorded an issue at CartTests.swift:9:5: Expectation failed`
fn swift_testing(text: &str) -> Option<Event> {
    let (mark, rest) = text.split_once(" Test ")?;
    if !matches!(mark, "✘" | "✔" | "➜" | "⚠") {
        return None;
    }
    if let Some((_, rest)) = text.split_once("Test run with ") {
        let total = rest.split(' ').next()?.parse().ok();
        return Some(Event::End(Totals {
            total,
            ..Totals::default()
        }));
    }
    if let Some((name, at)) = rest.split_once(" recorded an issue at ") {
        let (file, line, message) = place::leading(at)?;
        let failure = Failure::named(name.trim_matches('"')).at(file, Some(line));
        return Some(Event::FailedAbove(
            failure.because(message.trim_start_matches(": ")),
        ));
    }
    if let Some((name, _)) = rest.split_once(" failed after ") {
        return Some(Event::Failed(Failure::named(name.trim_matches('"'))));
    }
    if rest.contains(" passed after ") {
        return Some(Event::Passed);
    }
    rest.contains(" skipped").then_some(Event::Skipped)
}

#[cfg(test)]
mod tests {
    #[test]
    fn errors_come_before_the_verdict() {
        let lines = [
            "Test Suite 'All tests' started at 2026-03-01 08:15:42.123",
            "Test Suite 'CartTests' started at 2026-03-01 08:15:42.124",
            "Test Case 'CartTests.testAdds' started at 2026-03-01 08:15:42.124",
            "Test Case 'CartTests.testAdds' passed (0.001 seconds)",
            "Test Case 'CartTests.testSumsUp' started at 2026-03-01 08:15:42.125",
            "/home/dev/app/Tests/ShopTests/CartTests.swift:9: error: CartTests.testSumsUp : XCTAssertEqual failed: (\"2\") is not equal to (\"3\") - ",
            "Test Case 'CartTests.testSumsUp' failed (0.001 seconds)",
            "Test Case 'CartTests.testLater' started at 2026-03-01 08:15:42.126",
            "/home/dev/app/Tests/ShopTests/CartTests.swift:13: CartTests.testLater : Test skipped - later",
            "Test Case 'CartTests.testLater' skipped (0.0 seconds)",
            "Test Suite 'CartTests' failed at 2026-03-01 08:15:42.127",
            "	 Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.002 (0.002) seconds",
            "	 Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.002 (0.002) seconds",
            "Test Suite 'All tests' failed at 2026-03-01 08:15:42.127",
            "	 Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.002 (0.002) seconds",
        ];
        let report = crate::read(lines.join("\n").as_bytes());
        let counts = report.counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped), (1, 1, 1));
        let failure = &report.failures[0];
        assert_eq!(failure.name, "CartTests.testSumsUp");
        let place = (failure.file.as_deref(), failure.line);
        assert_eq!(
            place,
            (
                Some("/home/dev/app/Tests/ShopTests/CartTests.swift"),
                Some(9)
            )
        );
        assert_eq!(report.failures.len(), 1);
    }
}
