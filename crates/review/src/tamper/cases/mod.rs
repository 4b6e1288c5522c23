//! Tests that were deleted, disabled or weakened.

pub(super) mod asserting;
mod change;

use std::collections::HashSet;

use self::asserting::asserting;
use self::change::{Change, is_off, share};
use super::inventory::{self, Case, Inventory};
use super::{Both, Rule, Sign, Tampering, line_at};
use crate::budget::StopFlag;
use crate::engine::ChangedFile;
use crate::finding::Severity;
use crate::language::Language;

pub(super) static DELETED: Rule = Rule {
    id: "tamper/test-deleted",
    class: "test-deleted",
    what: "Test deleted",
    why: "what it checked is checked nowhere else in this change",
    remedy: "Restore the test, or say in the change why it is no longer needed.",
};
pub(super) static SKIPPED: Rule = Rule {
    id: "tamper/test-skipped",
    class: "test-skipped",
    what: "Test skipped",
    why: "a test that does not run cannot fail",
    remedy: "Repair the code or the test, and let it run.",
};
pub(super) static FOCUSED: Rule = Rule {
    id: "tamper/test-focused",
    class: "test-skipped",
    what: "Test focused",
    why: "all other tests are left out while one is focused",
    remedy: "Remove the focus.",
};
pub(super) static EXPECTED_TO_FAIL: Rule = Rule {
    id: "tamper/test-expected-to-fail",
    class: "test-skipped",
    what: "Test expected to fail",
    why: "its failure counts as success now",
    remedy: "Repair the code, so that the test passes by itself.",
};
/// A file is a test file or product code, before and after.
struct Compared<'a> {
    both: Both<'a>,
    before: Inventory,
    after: Inventory,
}

pub(super) fn signs(
    files: &[ChangedFile<'_>],
    stop: &StopFlag,
    tampering: &mut Tampering,
) -> Vec<Sign> {
    let compared: Vec<_> = files
        .iter()
        .filter(|file| Language::from_path(file.path).is_some())
        .filter_map(|file| {
            let both = Both::new(file, stop)?;
            let read = |text: Option<&str>| {
                text.map(|text| inventory::parse(both.path, text.as_bytes(), &both.budget))
                    .unwrap_or_default()
            };
            let (before, after) = (read(both.before), read(both.after));
            Some(Compared {
                both,
                before,
                after,
            })
        })
        .collect();
    let change = Change::new(&compared);
    let mut signs = Vec::new();
    for file in &compared {
        file_signs(file, &change, &mut signs);
        tampering.close(&file.both);
    }
    signs
}

fn file_signs(file: &Compared<'_>, change: &Change<'_>, signs: &mut Vec<Sign>) {
    let mut deleted = Vec::new();
    let mut matched: HashSet<*const Case> = HashSet::new();
    for case in &file.before.cases {
        // Each is compared with all others.
        let others = file.after.cases.len() + change.grown.len();
        if !file.both.budget.spend(1 + others) {
            break;
        }
        match counterpart(case, &file.after, change, &matched) {
            Some(after) => {
                matched.insert(std::ptr::from_ref(after));
                if file.after.cases.iter().any(|own| std::ptr::eq(own, after)) {
                    running(file, case, after, signs);
                    asserting(file, case, after, change, signs);
                }
            }
            None if !is_off(case)
                && !change.removes_subject_of(&case.words)
                && !change.covers(case)
                && !change.repeats(case) =>
            {
                deleted.push(case);
            }
            None => {}
        }
    }
    deletions(file, &deleted, signs);
    newly_focused(file, signs);
}

/// The same test in the head: in the same file and suite, else in the same
/// file, else anywhere in the change.
fn counterpart<'c>(
    case: &Case,
    own: &'c Inventory,
    change: &Change<'c>,
    matched: &HashSet<*const Case>,
) -> Option<&'c Case> {
    let same_name =
        |other: &&Case| other.name == case.name && !matched.contains(&std::ptr::from_ref(*other));
    let mut here = own.cases.iter().filter(same_name);
    own.cases
        .iter()
        .filter(same_name)
        .find(|other| other.suites == case.suites)
        .or_else(|| here.next())
        .or_else(|| {
            let elsewhere = change.after.get(case.name.as_str())?;
            elsewhere
                .iter()
                .copied()
                .find(|other| other.suites == case.suites)
                .or_else(|| {
                    elsewhere
                        .iter()
                        .copied()
                        .find(|other| share(&case.words, &other.words) >= 0.4)
                })
        })
}

/// A file that is deleted is one finding, however many tests it had.
fn deletions(file: &Compared<'_>, deleted: &[&Case], signs: &mut Vec<Sign>) {
    let before = file.both.before.unwrap_or("");
    if file.both.after.is_none() {
        if let Some(first) = deleted.first() {
            let what = match deleted.len() {
                1 => format!("Test file deleted with its test {}", display_name(first)),
                count => format!("Test file deleted with {count} tests"),
            };
            signs.push(
                Sign::new(&DELETED, file.both.path, 1, what).showing(line_at(before, first.line)),
            );
        }
        return;
    }
    for case in deleted {
        let what = format!("Test {} deleted", display_name(case));
        let last = file
            .both
            .after
            .map_or(1, |text| text.lines().count().max(1));
        let line = case.line.min(u32::try_from(last).unwrap_or(u32::MAX));
        signs.push(
            Sign::new(&DELETED, file.both.path, line, what).showing(line_at(before, case.line)),
        );
    }
}

/// Whether the test still runs.
fn running(file: &Compared<'_>, before: &Case, after: &Case, signs: &mut Vec<Sign>) {
    let text = file.both.after.unwrap_or("");
    let mut say = |rule: &'static Rule, line: u32, severity: Severity, what: String| {
        let sign = Sign::new(rule, file.both.path, line, what);
        signs.push(sign.at(severity).showing(line_at(text, line)));
    };
    match (&before.marks.skipped, &after.marks.skipped) {
        (None, Some(skip)) if skip.conditional => {
            let what = format!("Test {} skipped under a condition", display_name(after));
            say(&SKIPPED, skip.line, Severity::Medium, what);
        }
        (None, Some(skip)) => say(
            &SKIPPED,
            skip.line,
            Severity::High,
            format!("Test {} skipped", display_name(after)),
        ),
        (Some(old), Some(skip)) if old.conditional && !skip.conditional => {
            say(
                &SKIPPED,
                skip.line,
                Severity::High,
                format!("Test {} skipped always", display_name(after)),
            );
        }
        _ => {}
    }
    if let (None, Some(line)) = (before.marks.expected_to_fail, after.marks.expected_to_fail) {
        say(
            &EXPECTED_TO_FAIL,
            line,
            Severity::High,
            format!("Test {} expected to fail", display_name(after)),
        );
    }
    if let (None, Some(line)) = (before.returns_early, after.returns_early)
        && !after.assertions.is_empty()
    {
        say(
            &SKIPPED,
            line,
            Severity::High,
            format!("Test {} returns before its assertions", display_name(after)),
        );
    }
}

/// Focus is never meant to be committed, whether the test is new or not.
fn newly_focused(file: &Compared<'_>, signs: &mut Vec<Sign>) {
    let focused = |inventory: &Inventory| {
        let lines = inventory.cases.iter().filter_map(|case| case.marks.focused);
        lines.collect::<HashSet<_>>()
    };
    if !focused(&file.before).is_empty() {
        return;
    }
    let mut lines: Vec<_> = focused(&file.after).into_iter().collect();
    lines.sort_unstable();
    for line in lines {
        let excerpt = line_at(file.both.after.unwrap_or(""), line);
        let what = "Test focused".to_owned();
        signs.push(Sign::new(&FOCUSED, file.both.path, line, what).showing(excerpt));
    }
}

fn display_name(case: &Case) -> String {
    short(&case.name)
}

/// A piece of foreign text within a sentence.
fn short(text: &str) -> String {
    let clean: String = text
        .chars()
        .filter(|letter| !letter.is_control())
        .take(61)
        .collect();
    if clean.chars().count() > 60 {
        let cut: String = clean.chars().take(60).collect();
        return format!("`{cut}…`");
    }
    format!("`{clean}`")
}
