//! What is known of the whole suite after one or more runs of all or some of
//! it.

use baton_protocol::phase::testing_details::{AttemptScope, FactSource, FlakyTest, TestAttempt};
use baton_protocol::report::{Counts, ReportedFailure};
use baton_report::cases::Case;

use super::attempt::Attempt;
use super::verdict::Verdict;

#[derive(Default)]
pub(super) struct Suite {
    records: Vec<TestAttempt>,
    counts: Counts,
    failures: Vec<ReportedFailure>,
    /// Of the first run of everything.
    cases: Vec<Case>,
    framework: Option<String>,
    /// Before the last attempt, so that it can be forgotten.
    before: Option<(Counts, Vec<ReportedFailure>)>,
}

/// More failures than this share, among enough tests to tell, are no matter of
/// single tests.
const INFRASTRUCTURE_PERCENT: u64 = 80;
const ENOUGH_TO_TELL: u64 = 10;

impl Suite {
    pub(super) fn add(&mut self, attempt: &Attempt) {
        let record = attempt.record.clone();
        if matches!(
            attempt.verdict,
            Verdict::NotFound | Verdict::RaceUnsupported
        ) {
            // The command never ran; the next one is the first attempt.
            return;
        }
        if record.scope == AttemptScope::WholeSuite && self.cases.is_empty() {
            self.cases.clone_from(&attempt.cases);
        }
        self.before = Some((self.counts, self.failures.clone()));
        let was_cut_off = matches!(attempt.verdict, Verdict::TimedOut | Verdict::Cancelled);
        if was_cut_off && record.counts.run < self.counts.run {
            // It proved nothing about the tests it did not get to.
            self.records.push(record);
            return;
        }
        match record.scope {
            AttemptScope::WholeSuite => self.counts = record.counts,
            // Only some tests were wanted from the beginning.
            AttemptScope::FailedTests if self.records.is_empty() => self.counts = record.counts,
            AttemptScope::FailedTests => {
                // The suite is as large as it was; only the verdicts changed.
                let failed = record.counts.failed.min(self.counts.run);
                let errors = record.counts.errors.min(self.counts.run - failed);
                self.counts.failed = failed;
                self.counts.errors = errors;
                self.counts.passed = self.counts.run - failed - errors;
            }
        }
        self.failures.clone_from(&record.failures);
        if record.source != FactSource::ExitCode {
            self.framework = Some(attempt.framework.clone());
        }
        self.records.push(record);
    }

    /// The last attempt proved nothing.
    pub(super) fn forget_last(&mut self) {
        self.records.pop();
        if let Some((counts, failures)) = self.before.take() {
            self.counts = counts;
            self.failures = failures;
        }
    }

    pub(super) fn attempts(&self) -> u64 {
        self.records.len() as u64
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    pub(super) fn failed(&self) -> u64 {
        self.counts.failed + self.counts.errors
    }

    pub(super) fn counted_nothing(&self) -> bool {
        self.counts.run == 0 && self.failures.is_empty()
    }

    pub(super) fn failures(&self) -> &[ReportedFailure] {
        &self.failures
    }

    pub(super) fn cases(&self) -> &[Case] {
        &self.cases
    }

    pub(super) fn framework(&self) -> Option<String> {
        self.framework.clone()
    }

    pub(super) fn looks_like_infrastructure(&self) -> bool {
        self.counts.run >= ENOUGH_TO_TELL
            && self.failed() * 100 > self.counts.run * INFRASTRUCTURE_PERCENT
    }

    /// Tests that failed in one attempt and passed in a later or earlier one.
    pub(super) fn flaky(&self) -> Vec<FlakyTest> {
        let mut names: Vec<&str> = Vec::new();
        for failure in self.records.iter().flat_map(|record| &record.failures) {
            if !names.contains(&failure.name.as_str()) {
                names.push(&failure.name);
            }
        }
        names
            .into_iter()
            .map(|name| self.history_of(name))
            .filter(|test| !test.failed_attempts.is_empty() && !test.passed_attempts.is_empty())
            .collect()
    }

    /// A test passed in an attempt that ran it to the end without naming it
    /// among the failures. In an attempt that was cut off, no one knows.
    fn history_of(&self, name: &str) -> FlakyTest {
        let mut test = FlakyTest {
            name: name.to_owned(),
            failed_attempts: Vec::new(),
            passed_attempts: Vec::new(),
        };
        let mut failed_before = false;
        for record in &self.records {
            if record.failures.iter().any(|f| f.name == name) {
                test.failed_attempts.push(record.number);
                failed_before = true;
            } else if record.counts.run > 0
                && record.exit_code.is_some()
                && (record.scope == AttemptScope::WholeSuite || failed_before)
            {
                test.passed_attempts.push(record.number);
            }
            if record.scope == AttemptScope::FailedTests
                && !record.failures.iter().any(|f| f.name == name)
            {
                // It passed, so the next selection leaves it out.
                failed_before = false;
            }
        }
        test
    }

    pub(super) fn records(&self) -> &[TestAttempt] {
        &self.records
    }

    pub(super) fn into_records(self) -> Vec<TestAttempt> {
        self.records
    }
}
