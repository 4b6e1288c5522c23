//! Reads `deno test`.

use super::Tool;
use crate::console::{Console, Dialect, Event, without_duration};
use crate::place;
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Deno>>(
    &[
        "running ",
        "FAILED | ",
        "ok | ",
        "ERRORS",
        "(uncaught error)",
    ],
    &[],
);

#[derive(Default)]
struct Deno {
    /// Below `ERRORS`, where each failure is explained.
    in_errors: bool,
}

impl Dialect for Deno {
    const FRAMEWORK: &'static str = "deno-test";

    fn event(&mut self, text: &str) -> Event {
        let bare = text.trim();
        if let Some(rest) = text.strip_prefix("running ") {
            let is_run = rest.contains(" tests from ./") || rest.contains(" test from ./");
            return if is_run { Event::Other } else { Event::Text };
        }
        if matches!(bare, "ERRORS" | "FAILURES") && text.starts_with(' ') {
            self.in_errors = bare == "ERRORS";
            return Event::Other;
        }
        if let Some((title, at)) = text.rsplit_once(" => ")
            && let Some((file, line, "")) = place::leading(at)
        {
            let file = file.trim_start_matches("./");
            return Event::Failed(Failure::named(title).at(file, Some(line)));
        }
        if let Some(file) = text.strip_suffix(" (uncaught error)")
            && self.in_errors
        {
            let file = file.trim_start_matches("./");
            return Event::Broke(Failure::named(file).at(file, None));
        }
        if let Some((verdict, rest)) = text.split_once(" | ")
            && matches!(verdict, "ok" | "FAILED")
            && let Some(totals) = Totals::read(rest)
        {
            self.in_errors = false;
            return Event::End(totals);
        }
        // Steps are indented; they are not counted.
        match without_duration(text).rsplit_once(" ... ") {
            Some((_, "ok")) if !text.starts_with(' ') => Event::Passed,
            Some((_, "ignored")) if !text.starts_with(' ') => Event::Skipped,
            _ => Event::Text,
        }
    }
}
