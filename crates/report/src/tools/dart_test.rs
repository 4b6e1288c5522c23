//! Reads Dart's and Flutter's test runner.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::place;
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Dart>>(&["00:0"], &[]);

#[derive(Default)]
struct Dart;

impl Dialect for Dart {
    const FRAMEWORK: &'static str = "dart-test";

    fn event(&mut self, text: &str) -> Event {
        progress(text).unwrap_or(Event::Text)
    }
}

/// `00:01 +2 ~1 -1: test/cart_test.dart: cart sums up [E]`
fn progress(text: &str) -> Option<Event> {
    let (time, rest) = text.split_once(" +")?;
    if time.len() > 6
        || !time
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b':')
    {
        return None;
    }
    let (numbers, title) = rest.split_once(": ")?;
    let mut totals = Totals {
        failed: Some(0),
        skipped: Some(0),
        ..Totals::default()
    };
    for (index, word) in numbers.split(' ').enumerate() {
        let place = match word.as_bytes().first()? {
            b'~' => &mut totals.skipped,
            b'-' => &mut totals.failed,
            _ if index == 0 => &mut totals.passed,
            _ => return None,
        };
        *place = Some(word.trim_start_matches(['~', '-']).parse().ok()?);
    }
    if title.starts_with("Some tests failed.")
        || title.starts_with("All tests passed!")
        || title.starts_with("All tests skipped.")
    {
        return Some(Event::End(totals));
    }
    if let Some(title) = title.strip_suffix(" [E]") {
        let (file, name) = match title.split_once(": ") {
            Some((file, name)) if place::extension(file) == "dart" => (Some(file), name),
            _ => (None, title),
        };
        if let Some(path) = name.strip_prefix("loading ") {
            return Some(Event::Broke(Failure::named(path).at(path, None)));
        }
        let mut failure = Failure::named(name);
        failure.file = file.map(str::to_owned);
        return Some(Event::Failed(failure));
    }
    Some(Event::Totals(totals))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_last_numbers_count() {
        let lines = [
            "00:00 +0: loading test/cart_test.dart",
            "00:00 +0: test/cart_test.dart: cart adds",
            "00:00 +1: test/cart_test.dart: cart sums up",
            "00:00 +1 -1: test/cart_test.dart: cart sums up [E]",
            "  Expected: <3>",
            "    Actual: <2>",
            "",
            "  package:matcher         expect",
            "  test/cart_test.dart 9:7  main.<fn>.<fn>",
            "",
            "00:00 +1 ~1 -1: Some tests failed.",
            "",
        ];
        let report = crate::read(lines.join("\n").as_bytes());
        let counts = report.counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped), (1, 1, 1));
        let failure = &report.failures[0];
        assert_eq!(failure.name, "cart sums up");
        let place = (failure.file.as_deref(), failure.line);
        assert_eq!(place, (Some("test/cart_test.dart"), Some(9)));
        assert_eq!(report.failures.len(), 1);
    }
}
