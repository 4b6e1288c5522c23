//! Code that changed while no test did.

use crate::engine::{ChangedFile, is_test_path};
use crate::explained::Fixed;
use crate::finding::{Finding, Kind, Place, Severity};
use crate::language::Language;
use crate::report;

/// Below this many lines of code a change is a correction that old tests may cover.
const MIN_LINES: usize = 20;

pub(crate) const UNTESTED: Fixed = Fixed {
    id: "quality/changed-without-test",
    class: "changed-without-test",
    kind: Kind::Quality,
    severity: Severity::Low,
    what: "New code without a changed test",
    why: "nothing shows that the new behaviour is the wanted one",
    remedy: "Add a test that fails without this change.",
};

/// At most one finding for a change: where the most code changed.
pub(crate) fn untested(files: &[ChangedFile<'_>]) -> Option<Finding> {
    let tested = files.iter().any(|file| {
        is_test_path(file.path) || has_tests_inside(file.path, file.after.unwrap_or_default())
    });
    // A file without a base may be one of a whole repository, where nothing changed.
    let changed = files.iter().filter(|file| file.before.is_some());
    let (largest, lines) = changed
        .filter(|file| Language::from_path(file.path).is_some())
        .map(|file| (file, new_lines(file)))
        .max_by_key(|(_, lines)| *lines)?;
    if tested || lines < MIN_LINES {
        return None;
    }
    let mut finding = [Finding {
        rule: UNTESTED.id.to_owned(),
        kind: UNTESTED.kind,
        class: UNTESTED.class.to_owned(),
        cwe: None,
        severity: UNTESTED.severity,
        place: Place {
            path: largest.path.to_owned(),
            start_line: 1,
            start_column: 1,
            end_line: 1,
            end_column: 1,
        },
        what: format!("{lines} lines of new code without a changed test"),
        why: UNTESTED.why.to_owned(),
        remedy: UNTESTED.remedy.to_owned(),
        trace: Vec::new(),
        excerpt: String::new(),
        fingerprint: String::new(),
    }];
    report::fingerprint(&mut finding);
    let [finding] = finding;
    Some(finding)
}

/// Rust keeps tests beside the code.
fn has_tests_inside(path: &str, after: &[u8]) -> bool {
    Language::from_path(path) == Some(Language::Rust)
        && memchr::memmem::find(after, b"#[cfg(test)]").is_some()
}

/// Lines of code that the base has not.
fn new_lines(file: &ChangedFile<'_>) -> usize {
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let (before, after) = (text(file.before), text(file.after));
    let known: std::collections::HashSet<_> = before.lines().map(str::trim).collect();
    after
        .lines()
        .map(str::trim)
        .filter(|line| line.chars().any(char::is_alphanumeric))
        .filter(|line| !line.starts_with(['#', '*']) && !line.starts_with("//"))
        .filter(|line| {
            !line.starts_with("import ") && !line.starts_with("use ") && !known.contains(line)
        })
        .count()
}
