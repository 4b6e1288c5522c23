//! Reads what a runner that is not known prints: marks before or behind the
//! names of tests, and a summary with numbers. Counts only where no other tool
//! was recognised.

use std::borrow::Cow;

use baton_protocol::Confidence;

use super::Tool;
use crate::console::{Console, Dialect, Event, numbered, without_duration};
use crate::session::Failure;
use crate::totals::Totals;

/// The name in a report, so that its counts are not taken for those of nothing.
pub(crate) const FRAMEWORK: &str = "other";

pub(super) const TOOL: Tool = Tool::text::<Console<Other>>(
    &[
        "✗", "⨯", "✘", "✖", "×", "✕", "❌", "✓", "✔", "√", "✅", "not ok ", "FAIL", "[FAIL",
        "[PASS", "[ OK ]", "PASS:", "(fail)", "--- FAIL", "Tests", "Total", "total", "tests",
        "passing", "Passed", "Failed", "failing", "Asserts",
    ],
    &[" passed", " failed", " failure"],
);

#[derive(Default)]
struct Other;

const PASSED: [&str; 8] = ["✓", "✔", "√", "✅", "[PASS]", "[ OK ]", "PASS:", "PASSED:"];
const FAILED: [&str; 14] = [
    "✗",
    "⨯",
    "✘",
    "✖",
    "×",
    "✕",
    "❌",
    "[FAIL]",
    "[FAILED]",
    "FAIL:",
    "FAILED:",
    "not ok",
    "(fail)",
    "--- FAIL:",
];
const FAILED_BEHIND: [&str; 5] = [
    " ... FAILED",
    " ... FAIL",
    " ... failed",
    " FAILED",
    " [FAIL]",
];

impl Dialect for Other {
    const FRAMEWORK: &'static str = FRAMEWORK;
    const IS_GUESS: bool = true;
    const MAX_IDLE_LINES: u32 = 20;

    fn event(&mut self, text: &str) -> Event {
        // node-tap puts spaces without width between colours.
        let visible = if text.contains('\u{200b}') {
            Cow::Owned(text.replace('\u{200b}', ""))
        } else {
            Cow::Borrowed(text)
        };
        let bare = visible.trim();
        if marked(bare, &PASSED).is_some() {
            return Event::Passed;
        }
        if let Some(totals) = summary(bare) {
            return Event::Totals(totals);
        }
        let name = marked(bare, &FAILED).or_else(|| {
            let title = without_duration(bare);
            FAILED_BEHIND
                .iter()
                .find_map(|mark| title.strip_suffix(mark))
        });
        match name.and_then(clean) {
            Some(name) => Event::Failed(Failure::named(name).sure(Confidence::Low)),
            None if numbered(bare).is_some() => Event::Other,
            None => Event::Text,
        }
    }
}

fn marked<'a>(text: &'a str, marks: &[&str]) -> Option<&'a str> {
    let rest = marks.iter().find_map(|mark| text.strip_prefix(mark))?;
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}

/// A title, without a number and duration.
fn clean(title: &str) -> Option<&str> {
    const MAX_LEN: usize = 300;
    let title = without_duration(title.trim_matches(['.', ' ', '-', ':']));
    let title = numbered(title).unwrap_or(title);
    let is_count = title.starts_with(|c: char| c.is_ascii_digit()) && Totals::read(title).is_some();
    let has_letters = title.chars().any(char::is_alphabetic);
    (has_letters && title.len() < MAX_LEN && !is_count).then_some(title)
}

fn summary(text: &str) -> Option<Totals> {
    // Most lines have none of these, and searching for the words is slow.
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let line = text.trim_start_matches("# ").split(" in ").next()?;
    let totals = Totals::read(line)?;
    // Some print each number on a line of its own.
    let is_alone = line.split_whitespace().count() == 2;
    (is_alone || totals.is_complete()).then_some(totals)
}
