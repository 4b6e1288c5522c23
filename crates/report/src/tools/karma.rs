//! Reads Karma, whose lines begin with the browser.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::place;
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Karma>>(&["TOTAL: "], &["INFO [karma-server]"])
    .woken_by_ends(&[") FAILED"]);

#[derive(Default)]
struct Karma;

impl Dialect for Karma {
    const FRAMEWORK: &'static str = "karma";

    fn event(&mut self, text: &str) -> Event {
        if text.contains(" [karma-server]: Karma v") {
            return Event::Begin;
        }
        if let Some((_, rest)) = text.rsplit_once("): Executed ") {
            return executed(rest).map_or(Event::Other, Event::Totals);
        }
        // `Chrome Headless 120.0.0.0 (Linux x86_64) cart sums up FAILED`
        if let Some(title) = text.strip_suffix(" FAILED")
            && !text.starts_with([' ', '\t'])
            && let Some((_, name)) = title.split_once(") ")
        {
            return Event::Failed(Failure::named(name));
        }
        Event::Text
    }
}

/// `3 of 4 (1 FAILED) (skipped 1) (0.012 secs / 0.003 secs)`, or `SUCCESS`.
fn executed(text: &str) -> Option<Totals> {
    let (run, rest) = place::number(text)?;
    let of = |open: &str| {
        let (_, rest) = rest.split_once(open)?;
        place::number(rest).map(|(number, _)| number)
    };
    let failed = rest
        .split_once(" FAILED)")
        .and_then(|(before, _)| before.rsplit_once('(')?.1.parse().ok());
    let skipped = of("(skipped ").unwrap_or(0);
    let failed: u64 = failed.unwrap_or(0);
    Some(Totals {
        passed: Some(run.saturating_sub(failed)),
        failed: Some(failed),
        skipped: Some(skipped),
        ..Totals::default()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_last_numbers_count() {
        let lines = [
            "12 03 2026 08:15:42.123:INFO [karma-server]: Karma v6.4.2 server started at http://localhost:9876/",
            "12 03 2026 08:15:42.923:INFO [Chrome Headless 120.0.0.0 (Linux x86_64)]: Connected on socket abc with id 1",
            "Chrome Headless 120.0.0.0 (Linux x86_64) cart sums up FAILED",
            "	Error: Expected 2 to be 3.",
            "	    at <Jasmine>",
            "	    at UserContext.<anonymous> (test/cart.spec.js:6:19)",
            "Chrome Headless 120.0.0.0 (Linux x86_64): Executed 3 of 4 (1 FAILED) (skipped 1) (0.012 secs / 0.003 secs)",
            "TOTAL: 1 FAILED, 2 SUCCESS",
        ];
        let report = crate::read(lines.join("\n").as_bytes());
        let counts = report.counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped), (2, 1, 1));
        let failure = &report.failures[0];
        assert_eq!(failure.name, "cart sums up");
        let place = (failure.file.as_deref(), failure.line);
        assert_eq!(place, (Some("test/cart.spec.js"), Some(6)));
        assert_eq!(report.failures.len(), 1);
    }
}
