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
