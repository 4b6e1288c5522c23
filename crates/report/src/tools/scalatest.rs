//! Reads `ScalaTest` and `MUnit`, with and without sbt.

use super::Tool;
use crate::console::{Console, Dialect, Event, without_duration};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Scalatest>>(
    &[
        "Tests: succeeded ",
        "[info] Tests: succeeded ",
        "[error] Failed: Total ",
        "[info] Passed: Total ",
        "==> X ",
    ],
    &[],
)
.woken_by_ends(&["*** FAILED ***"]);

#[derive(Default)]
struct Scalatest {
    suite: Option<String>,
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
            return Event::Failed(Failure::named(without_duration(title).trim()));
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
        if let Some(suite) = line.strip_suffix(':')
            && !suite.contains([' ', '/'])
        {
            self.suite = Some(suite.to_owned());
        }
        Event::Text
    }
}

impl Scalatest {
    fn qualified(&self, title: &str) -> String {
        match &self.suite {
            Some(suite) => format!("{suite} {title}"),
            None => title.to_owned(),
        }
    }
}
