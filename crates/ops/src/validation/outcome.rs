//! What became of the checks, and how it stands in the phase's output.

use std::time::Duration;

use baton_protocol::phase::testing_details::TestingDetails;
use baton_protocol::phase::validation::{
    BuildCheck, CodeReviewCheck, CodeReviewSeverity, CriticalSecurityIssue, FormatterCheck,
    LinterCheck, SecurityReviewCheck, SecuritySeverity, TestsCheck, ValidationChecks,
};
use baton_protocol::phase::validation_details::ToolDetails;
use baton_protocol::phase::{StepStatus, Verdict};
use baton_report::cases::Case;
use baton_review::{Finding, Severity};

use super::CheckStatus;
use super::attempt::Attempt;
use super::changed_files::ChangedFiles;
use super::reviews::Reviewed;
use super::tool::Invocation;
use crate::command_line::milliseconds;

/// A formatter or linter.
#[derive(Default)]
pub(super) struct Mended {
    pub(super) passed: bool,
    pub(super) issues: Vec<String>,
    pub(super) retry_count: u64,
    pub(super) command: String,
    pub(super) elapsed: Duration,
    pub(super) details: ToolDetails,
    /// The change itself is no longer what it was.
    pub(super) rewrote_the_change: bool,
    /// What was run last, and what it said.
    pub(super) last: Option<(Invocation, Attempt)>,
}

impl Mended {
    /// Nothing was run, because it is not known what.
    pub(super) fn unknown(message: &str) -> Self {
        Self {
            issues: vec![message.to_owned()],
            ..Self::default()
        }
    }

    /// Nothing was to be run.
    pub(super) fn nothing() -> Self {
        Self {
            passed: true,
            ..Self::default()
        }
    }

    /// Nothing was run, and that is fine.
    pub(super) fn not_chosen(note: &str) -> Self {
        let mut mended = Self::nothing();
        mended.details.notes.push(note.to_owned());
        mended
    }

    /// Another round of the same check, which has the last word. What it
    /// retried is not counted: only the linter waits for it to pass.
    pub(super) fn absorb(&mut self, again: Self) {
        self.passed &= again.passed;
        self.issues.extend(again.issues);
        self.elapsed += again.elapsed;
        self.details.attempts.extend(again.details.attempts);
        for file in again.details.restored {
            if !self.details.restored.contains(&file) {
                self.details.restored.push(file);
            }
        }
        self.details.fails_before |= again.details.fails_before;
        self.details.missing |= again.details.missing;
        self.details.notes.extend(again.details.notes);
        self.details.diagnostics = again.details.diagnostics;
    }

    pub(super) fn status(&self) -> CheckStatus {
        if self.passed {
            CheckStatus::Pass
        } else {
            CheckStatus::Fail
        }
    }
}

pub(super) struct Built {
    pub(super) status: StepStatus,
    pub(super) errors: Vec<String>,
    pub(super) retry_count: u64,
    pub(super) command: String,
    pub(super) elapsed: Duration,
    pub(super) details: ToolDetails,
}

impl Built {
    pub(super) fn skipped() -> Self {
        Self {
            status: StepStatus::Skipped,
            errors: Vec::new(),
            retry_count: 0,
            command: String::new(),
            elapsed: Duration::ZERO,
            details: ToolDetails::default(),
        }
    }

    pub(super) fn unknown(message: &str) -> Self {
        Self {
            status: StepStatus::Fail,
            errors: vec![message.to_owned()],
            ..Self::skipped()
        }
    }
}

pub(super) struct Tested {
    pub(super) status: StepStatus,
    pub(super) failing_count: u64,
    pub(super) retry_count: u64,
    pub(super) command: String,
    pub(super) elapsed: Duration,
    pub(super) cases: Vec<Case>,
    pub(super) details: Option<TestingDetails>,
}

impl Tested {
    pub(super) fn skipped() -> Self {
        Self {
            status: StepStatus::Skipped,
            failing_count: 0,
            retry_count: 0,
            command: String::new(),
            elapsed: Duration::ZERO,
            cases: Vec::new(),
            details: None,
        }
    }

    pub(super) fn unknown() -> Self {
        Self {
            status: StepStatus::Fail,
            ..Self::skipped()
        }
    }
}

pub(super) fn checks(
    formatter: &Mended,
    linter: &Mended,
    build: &Built,
    tests: &Tested,
    reviews: (CodeReviewCheck, SecurityReviewCheck),
) -> ValidationChecks {
    ValidationChecks {
        formatter: FormatterCheck {
            status: verdict(formatter.passed),
            issues: formatter.issues.clone(),
            retry_count: formatter.retry_count,
            command: formatter.command.clone(),
            execution_time_ms: milliseconds(formatter.elapsed),
        },
        linter: LinterCheck {
            status: verdict(linter.passed),
            issues: linter.issues.clone(),
            retry_count: linter.retry_count,
            command: linter.command.clone(),
            execution_time_ms: milliseconds(linter.elapsed),
        },
        build: BuildCheck {
            status: build.status,
            errors: build.errors.clone(),
            retry_count: build.retry_count,
            command: build.command.clone(),
            execution_time_ms: milliseconds(build.elapsed),
        },
        tests: TestsCheck {
            status: tests.status,
            failing_count: tests.failing_count,
            retry_count: tests.retry_count,
            command: tests.command.clone(),
            execution_time_ms: milliseconds(tests.elapsed),
        },
        code_review: reviews.0,
        security_review: reviews.1,
    }
}

pub(super) fn any_failed(checks: &ValidationChecks) -> bool {
    checks.formatter.status == Verdict::Fail
        || checks.linter.status == Verdict::Fail
        || checks.build.status == StepStatus::Fail
        || checks.tests.status == StepStatus::Fail
        || checks.code_review.status == Verdict::Fail
        || checks.security_review.status == Verdict::Fail
}

pub(super) fn retries(checks: &ValidationChecks) -> u64 {
    checks.formatter.retry_count
        + checks.linter.retry_count
        + checks.build.retry_count
        + checks.tests.retry_count
}

pub(super) fn critical(checks: &ValidationChecks) -> Option<CriticalSecurityIssue> {
    let is_critical = checks.security_review.severity == SecuritySeverity::Critical;
    is_critical.then_some(CriticalSecurityIssue)
}

/// Files that may not be asked about stand here, too: no other list is about the
/// change as such.
pub(super) fn code_review(
    reviewed: &Reviewed,
    change: &ChangedFiles,
    threshold: Severity,
) -> CodeReviewCheck {
    let counted = counted(reviewed.code(), threshold);
    let mut severity = match counted.iter().map(|finding| finding.severity).max() {
        None => CodeReviewSeverity::None,
        Some(Severity::Low) => CodeReviewSeverity::Low,
        Some(Severity::Medium) => CodeReviewSeverity::Medium,
        Some(Severity::High | Severity::Critical) => CodeReviewSeverity::High,
    };
    let mut findings: Vec<String> = change.outside().map(|file| file.message.clone()).collect();
    if !findings.is_empty() {
        severity = CodeReviewSeverity::High;
    }
    findings.extend(counted.into_iter().map(ToString::to_string));
    CodeReviewCheck {
        status: verdict(findings.is_empty()),
        findings,
        severity,
        execution_time_ms: milliseconds(reviewed.elapsed),
    }
}

pub(super) fn security_review(reviewed: &Reviewed, threshold: Severity) -> SecurityReviewCheck {
    let counted = counted(reviewed.security(), threshold);
    SecurityReviewCheck {
        status: verdict(counted.is_empty()),
        severity: match counted.iter().map(|finding| finding.severity).max() {
            None => SecuritySeverity::None,
            Some(Severity::Low) => SecuritySeverity::Low,
            Some(Severity::Medium) => SecuritySeverity::Medium,
            Some(Severity::High) => SecuritySeverity::High,
            Some(Severity::Critical) => SecuritySeverity::Critical,
        },
        vulnerabilities: counted.into_iter().map(ToString::to_string).collect(),
        execution_time_ms: milliseconds(reviewed.elapsed),
    }
}

fn counted<'a>(
    findings: impl Iterator<Item = &'a Finding>,
    threshold: Severity,
) -> Vec<&'a Finding> {
    findings
        .filter(|finding| finding.severity >= threshold)
        .collect()
}

fn verdict(passed: bool) -> Verdict {
    if passed { Verdict::Pass } else { Verdict::Fail }
}

pub(super) fn step(passed: bool) -> StepStatus {
    if passed {
        StepStatus::Pass
    } else {
        StepStatus::Fail
    }
}

pub(super) fn shown(status: StepStatus) -> CheckStatus {
    match status {
        StepStatus::Pass => CheckStatus::Pass,
        StepStatus::Fail => CheckStatus::Fail,
        StepStatus::Skipped => CheckStatus::Skipped,
    }
}
