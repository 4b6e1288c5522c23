//! Reads `ScalaTest` and `MUnit`, with and without sbt.

use super::Tool;
use crate::console::{Console, Dialect, Event, without_duration};
use crate::place;
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Scalatest>>(
    &[
        "Tests: succeeded ",
        "[info] Tests: succeeded ",
        "[error] Failed: Total ",
        "[info] Passed: Total ",
        "==> X ",
        "[error] ==> X ",
    ],
    &[],
)
.woken_by_ends(&["*** FAILED ***"]);

#[derive(Default)]
struct Scalatest {
    /// What the tests below are about.
    subject: String,
}

impl Dialect for Scalatest {
    const FRAMEWORK: &'static str = "scalatest";

    fn event(&mut self, text: &str) -> Event {
        let line = ["[info] ", "[error] "]
            .iter()
            .find_map(|level| text.strip_prefix(level))
            .unwrap_or(text);
        if let Some(title) = line.trim_end().strip_suffix("*** FAILED ***") {
            let title = without_duration(title).trim_start_matches(['-', ' ']);
            return Event::Failed(Failure::named(self.qualified(title)));
        }
        if let Some(title) = line.strip_prefix("==> X ") {
            let name = title.split("  ").next().unwrap_or(title);
            let place = title.rsplit(' ').next().and_then(place::leading);
            let place = place.map(|(file, line, _)| (file, line));
            return Event::Failed(Failure::named(name).at_place(place));
        }
        let totals = line
            .strip_prefix("Failed: Total ")
            .or_else(|| line.strip_prefix("Passed: Total "));
        if let Some(totals) = totals {
            return Totals::read(&format!("Total {totals}")).map_or(Event::Text, Event::End);
        }
        if line.starts_with("Tests: succeeded ") {
            return Totals::read(line).map_or(Event::Text, Event::Totals);
        }
        if line.starts_with("- ") {
            return Event::Other;
        }
        // `Cart`, below `CartSpec:`
        let is_subject =
            !line.starts_with([' ', '*', '[']) && !line.ends_with(':') && line.len() < 100;
        if is_subject && line.len() < text.len() {
            line.clone_into(&mut self.subject);
        }
        Event::Text
    }
}

impl Scalatest {
    fn qualified(&self, title: &str) -> String {
        format!("{} {title}", self.subject).trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_reason_follows_the_name() {
        let lines = [
            "[info] - should add a thing",
            "[info] - should sum up *** FAILED ***",
            "[info]   2 did not equal 3 (CartSpec.scala:9)",
            "[info] - should be for later !!! IGNORED !!!",
            "[info] Run completed in 210 milliseconds.",
            "[info] Total number of tests run: 2",
            "[info] Suites: completed 1, aborted 0",
            "[info] Tests: succeeded 1, failed 1, canceled 0, ignored 1, pending 0",
        ];
        let report = crate::read(lines.join("\n").as_bytes());
        let counts = report.counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped), (1, 1, 1));
        let failure = &report.failures[0];
        assert_eq!(failure.name, "should sum up");
        let place = (failure.file.as_deref(), failure.line);
        assert_eq!(place, (Some("CartSpec.scala"), Some(9)));
        assert_eq!(report.failures.len(), 1);
    }
}
