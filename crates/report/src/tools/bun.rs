//! Reads `bun test`.

use super::Tool;
use crate::console::{Console, Dialect, Event, without_duration};
use crate::session::Failure;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<Bun>>(
    &["bun test v", "(pass) ", "(fail) ", "(skip) ", "(todo) "],
    &[],
);

#[derive(Default)]
struct Bun {
    file: Option<String>,
    /// Skipped tests and those to be written have a line each.
    skipped: u64,
}

impl Dialect for Bun {
    const FRAMEWORK: &'static str = "bun-test";
    const EXPLAINS_ABOVE: bool = true;

    fn event(&mut self, text: &str) -> Event {
        let (mark, title) = text.trim_start().split_once(' ').unwrap_or((text, ""));
        match mark {
            "(pass)" | "✓" if text.starts_with(mark) => return Event::Passed,
            "(skip)" | "(todo)" | "»" | "✎" if text.starts_with(mark) => return Event::Skipped,
            "(fail)" | "✗" if text.starts_with(mark) => {
                let mut failure = Failure::named(without_duration(title));
                failure.file.clone_from(&self.file);
                return Event::FailedAbove(failure);
            }
            _ => {}
        }
        if text.starts_with("bun test v") {
            self.skipped = 0;
            return Event::Begin;
        }
        let group = text.strip_prefix("::group::").unwrap_or(text);
        if let Some(file) = group.strip_suffix(':')
            && !file.contains(' ')
            && crate::place::looks_like_a_file(file)
        {
            self.file = Some(file.to_owned());
            return Event::Other;
        }
        if let Some(rest) = text.strip_prefix("Ran ")
            && rest.contains(" across ")
        {
            return Event::End(Totals::default());
        }
        if text.starts_with("# Unhandled error between tests") {
            let name = self.file.clone().unwrap_or_else(|| text.to_owned());
            let mut failure = Failure::named(name);
            failure.file.clone_from(&self.file);
            return Event::Broke(failure);
        }
        match Totals::read(text) {
            Some(totals) if text.starts_with(' ') => {
                self.skipped = self.skipped.saturating_add(totals.skipped.unwrap_or(0));
                // An error outside of tests is counted as a failure, too.
                Event::Totals(Totals {
                    skipped: Some(self.skipped),
                    errors: None,
                    ..totals
                })
            }
            _ => Event::Text,
        }
    }
}
