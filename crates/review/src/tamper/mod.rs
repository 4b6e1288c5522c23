//! Detects changes that weaken their own checks: tests, assertions, thresholds,
//! lint rules, the configuration of gates.
//!
//! The base and the head are compared over all files of the change, because an
//! honest refactoring moves tests between files. A finding names what was
//! weakened, where, and why it matters; whether that was intended is for a
//! person to decide.

mod assertion;
mod cases;
mod framework;
mod gates;
mod inline;
mod inventory;
mod lint_settings;
mod runner;
mod settings;
mod thresholds;

use crate::budget::{Budget, StopFlag};
use crate::engine::{ChangedFile, Note};
use crate::explained::{Explained, Fixed};
use crate::finding::{Finding, Kind, Place, Severity};
use crate::report;
use crate::secrets;

/// Larger files are not written by people, and hold no tests or settings.
const MAX_BYTES: usize = 1 << 20;

/// What was found, which files were not read to their end, and what it cost.
#[derive(Default)]
pub(crate) struct Tampering {
    pub(crate) findings: Vec<Finding>,
    pub(crate) notes: Vec<Note>,
    pub(crate) work: u64,
}

impl Tampering {
    /// All that is to be known of a file is known.
    fn close(&mut self, file: &Both<'_>) {
        self.work += file.budget.spent();
        self.notes.extend(file.budget.ended().map(|reason| Note {
            path: file.path.to_owned(),
            reason,
        }));
    }
}

/// The tampering of a whole change.
pub(crate) fn findings(files: &[ChangedFile<'_>], is_change: bool, stop: &StopFlag) -> Tampering {
    let mut tampering = Tampering::default();
    // Without a base nothing can have been weakened.
    if !is_change && files.iter().all(|file| file.before.is_none()) {
        return tampering;
    }
    let mut signs = cases::signs(files, stop, &mut tampering);
    for file in files {
        let Some(both) = Both::new(file, stop) else {
            continue;
        };
        signs.extend(thresholds::signs(&both));
        signs.extend(lint_settings::signs(&both));
        signs.extend(inline::signs(&both));
        signs.extend(framework::signs(&both));
        let of_gates = gates::signs(&both);
        if of_gates.is_empty() {
            signs.extend(runner::signs(&both));
        }
        signs.extend(of_gates);
        tampering.close(&both);
    }
    signs.sort_by(|a, b| (a.path.as_str(), a.line, a.rule).cmp(&(b.path.as_str(), b.line, b.rule)));
    signs.dedup_by(|a, b| {
        a.path == b.path && a.line == b.line && a.rule == b.rule && a.what == b.what
    });
    let mut findings: Vec<_> = signs.into_iter().map(Sign::finding).collect();
    report::fingerprint(&mut findings);
    tampering.findings = findings;
    tampering
}

/// A test in a file's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCase {
    pub name: String,
    pub off: Off,
}

/// Whether a test is marked not to run, or to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    No,
    /// Where a condition holds.
    Sometimes,
    Always,
}

/// The tests of a file, as its source has them.
pub fn test_cases(path: &str, bytes: &[u8]) -> Vec<TestCase> {
    if bytes.len() > MAX_BYTES {
        return Vec::new();
    }
    let budget = Budget::for_bytes(bytes.len(), &StopFlag::default());
    let found = inventory::parse(path, bytes, &budget);
    let cases = found.cases.into_iter();
    // Go calls it, but it is none.
    let cases = cases.filter(|case| case.name != "TestMain");
    cases
        .map(|case| TestCase {
            off: match &case.marks.skipped {
                _ if case.marks.expected_to_fail.is_some() => Off::Always,
                Some(skip) if skip.conditional => Off::Sometimes,
                Some(_) => Off::Always,
                None => Off::No,
            },
            name: case.name,
        })
        .collect()
}

/// A file as text before and after.
struct Both<'a> {
    path: &'a str,
    before: Option<&'a str>,
    after: Option<&'a str>,
    budget: Budget,
}

impl<'a> Both<'a> {
    /// `None` for what is no text.
    fn new(file: &ChangedFile<'a>, stop: &StopFlag) -> Option<Self> {
        let text = |bytes: Option<&'a [u8]>| match bytes {
            Some(bytes) if bytes.len() > MAX_BYTES => None,
            Some(bytes) => str::from_utf8(bytes).ok().map(Some),
            None => Some(None),
        };
        let (before, after) = (text(file.before)?, text(file.after)?);
        let bytes = before.map_or(0, str::len) + after.map_or(0, str::len);
        let both = Self {
            path: file.path,
            before,
            after,
            budget: Budget::for_bytes(bytes, stop),
        };
        (both.before != both.after).then_some(both)
    }

    fn name(&self) -> &'a str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// One sign of tampering.
struct Sign {
    rule: &'static Rule,
    severity: Severity,
    path: String,
    line: u32,
    what: String,
    excerpt: String,
}

static RULES: [&Rule; 13] = [
    &cases::asserting::EXPECTATION,
    &cases::asserting::REMOVED,
    &cases::asserting::WEAKENED,
    &cases::DELETED,
    &cases::EXPECTED_TO_FAIL,
    &cases::FOCUSED,
    &cases::SKIPPED,
    &gates::EDITED,
    &gates::WEAKENED,
    &inline::SILENCED,
    &lint_settings::RELAXED,
    &runner::STEERED,
    &thresholds::LOWERED,
];

pub(crate) fn explained() -> impl Iterator<Item = Explained> {
    let all = RULES.iter();
    all.map(|rule| {
        let fixed = Fixed {
            id: rule.id,
            class: rule.class,
            kind: Kind::Tamper,
            severity: Severity::High,
            what: rule.what,
            why: rule.why,
            remedy: rule.remedy,
        };
        fixed.explained()
    })
}

/// The description of each kind of tampering.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rule {
    id: &'static str,
    class: &'static str,
    /// In general; a sign has the details.
    what: &'static str,
    why: &'static str,
    remedy: &'static str,
}

impl Sign {
    fn new(rule: &'static Rule, path: &str, line: u32, what: String) -> Self {
        Self {
            rule,
            severity: Severity::High,
            path: path.to_owned(),
            line,
            what,
            excerpt: String::new(),
        }
    }

    fn at(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    fn showing(mut self, line: &str) -> Self {
        line.clone_into(&mut self.excerpt);
        self
    }

    fn finding(self) -> Finding {
        Finding {
            rule: self.rule.id.to_owned(),
            kind: Kind::Tamper,
            class: self.rule.class.to_owned(),
            cwe: None,
            severity: self.severity,
            place: Place {
                path: self.path,
                start_line: self.line,
                start_column: 1,
                end_line: self.line,
                end_column: 1,
            },
            what: self.what,
            why: self.rule.why.to_owned(),
            remedy: self.rule.remedy.to_owned(),
            trace: Vec::new(),
            excerpt: report::excerpt(&secrets::masked(&self.excerpt)),
            fingerprint: String::new(),
        }
    }
}

/// A line of a text by its number.
fn line_at(text: &str, line: u32) -> &str {
    text.lines()
        .nth((line as usize).saturating_sub(1))
        .unwrap_or("")
}
