//! The places where the failures of one check may be told, from the best to
//! the last: the report that it kept, what it remarked, its log, its last words.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use baton_protocol::report::{ReportedFailure, TestReport};
use baton_protocol::tools::get_failing_tests::FailureSource;
use baton_protocol::{Confidence, Repository};
use baton_remote::github::questions::check_details::RunDetails;
use baton_remote::github::resources::artifacts::Artifact;
use baton_remote::github::{GitHub, GitHubError, GitHubErrorKind};
use futures_util::future::join_all;
use tokio::sync::Semaphore;

use super::annotations::remarks;
use super::artifacts;
use super::found::{Found, MAX_ERROR_LEN, tidied};
use super::log::{self, ReadLog};
use super::reading::OnBase;
use super::survey::Survey;
use super::whole_check::{failed_step, for_check};
use crate::pulls::ci_check::CiCheck;

/// Logs of the base branch that are read to compare.
const MAX_FROM_BASE: usize = 3;

/// Where the failures of checks are read.
pub(super) struct Source<'a> {
    pub(super) github: &'a GitHub,
    pub(super) repository: &'a Repository,
    pub(super) survey: &'a Survey,
    /// By run.
    pub(super) artifacts: BTreeMap<u64, Vec<Artifact>>,
    pub(super) permits: Semaphore,
    /// The forge does not want to be asked any more.
    pub(super) stopped: AtomicBool,
}

/// What came of one check.
#[derive(Default)]
pub(super) struct CheckReading {
    pub(super) found: Vec<Found>,
    pub(super) note: Option<String>,
    pub(super) trouble: Option<GitHubError>,
}

impl Source<'_> {
    /// The best that can be had.
    pub(super) async fn check(&self, index: usize, details: Option<&RunDetails>) -> CheckReading {
        let _permit = self.permits.acquire().await;
        let check = &self.survey.checks[index];
        let mut reading = CheckReading::default();
        let reports = self.reports(check, &mut reading.trouble).await;
        reading.found = self.told_by_reports(index, &reports, FailureSource::Report, None);
        if !reading.found.is_empty() {
            return reading;
        }
        let annotations = details.map(|run| run.annotations.items.as_slice());
        let remarks = remarks(annotations.unwrap_or_default());
        let of_remarks = || self.told_by_remarks(index, &remarks.failures);
        if remarks.are_complete {
            reading.found = of_remarks();
            return reading;
        }
        let log = self.log(check.job, &mut reading.trouble).await;
        if log.as_ref().is_some_and(|log| log.truncated) {
            let note = format!(
                "The log of {} was too long to be read to its end",
                check.shown
            );
            reading.note = Some(note);
        }
        reading.found = match &log {
            Some(log) => self.told_by_log(index, log),
            None => Vec::new(),
        };
        let is_sure = |found: &[Found]| found.iter().any(|found| !found.is_whole_check());
        if !is_sure(&reading.found) && !remarks.failures.is_empty() {
            reading.found = of_remarks();
        }
        if reading.found.is_empty() {
            let text = details.and_then(|run| run.text.as_deref());
            reading.found = vec![for_check(index, check, text)];
        }
        if let Some(step) = details.and_then(|run| failed_step(&run.steps)) {
            for found in &mut reading.found {
                found.step.get_or_insert_with(|| step.name.clone());
            }
        }
        reading
    }

    async fn reports(&self, check: &CiCheck, trouble: &mut Option<GitHubError>) -> Vec<TestReport> {
        let kept = check
            .run
            .as_ref()
            .and_then(|run| self.artifacts.get(&run.id));
        let Some(kept) = kept else {
            return Vec::new();
        };
        let all = self.survey.checks.iter();
        let jobs: Vec<&CiCheck> = all.filter(|other| other.run == check.run).collect();
        let mut reports = Vec::new();
        for artifact in artifacts::for_job(kept, &jobs, check) {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            match artifacts::read(self.github, self.repository, artifact).await {
                Ok(read) => reports.extend(read),
                Err(error) => *trouble = Some(self.noted(error)),
            }
        }
        reports
    }

    async fn log(&self, job: Option<u64>, trouble: &mut Option<GitHubError>) -> Option<ReadLog> {
        let job = job.filter(|_| !self.stopped.load(Ordering::Relaxed))?;
        match log::read(self.github, self.repository, job).await {
            Ok(log) => log,
            Err(error) => {
                *trouble = Some(self.noted(error));
                None
            }
        }
    }

    fn noted(&self, error: GitHubError) -> GitHubError {
        if matches!(error.kind(), GitHubErrorKind::RateLimited(_)) {
            self.stopped.store(true, Ordering::Relaxed);
        }
        error
    }

    fn told_by_reports(
        &self,
        index: usize,
        reports: &[TestReport],
        source: FailureSource,
        step: Option<&str>,
    ) -> Vec<Found> {
        let name = self.repository.name();
        let each = reports.iter().flat_map(|report| {
            report.failures.iter().map(|failure| Found {
                check: index,
                failure: tidied(failure.clone(), name),
                framework: report.framework.clone(),
                is_build_failure: report.is_build_failure,
                source,
                step: step.map(str::to_owned),
            })
        });
        each.collect()
    }

    fn told_by_remarks(&self, index: usize, failures: &[ReportedFailure]) -> Vec<Found> {
        let report = TestReport {
            failures: failures.to_vec(),
            ..TestReport::default()
        };
        self.told_by_reports(index, &[report], FailureSource::Annotations, None)
    }

    /// What was recognised, or else the last lines.
    fn told_by_log(&self, index: usize, log: &ReadLog) -> Vec<Found> {
        let step = log.report.failing_step.as_deref();
        let reports = std::slice::from_ref(&log.report);
        let found = self.told_by_reports(index, reports, FailureSource::Log, step);
        if !found.is_empty() || log.tail.is_empty() {
            return found;
        }
        let check = &self.survey.checks[index];
        let failure = ReportedFailure {
            name: step.unwrap_or(&check.name).to_owned(),
            file: None,
            line: None,
            error: end_of(&log.tail),
            confidence: Confidence::Low,
        };
        vec![Found {
            check: index,
            failure,
            framework: String::new(),
            is_build_failure: false,
            source: FailureSource::LogTail,
            step: step.map(str::to_owned),
        }]
    }

    /// What fails on the base branch in the same checks, for a few of them.
    pub(super) async fn base(
        &self,
        chosen: &[usize],
    ) -> Vec<(Option<OnBase>, Option<GitHubError>)> {
        let Some(base) = &self.survey.base else {
            return Vec::new();
        };
        let mut seen = BTreeSet::new();
        let failed = chosen.iter().filter_map(|index| {
            let check = &self.survey.checks[*index];
            let counterpart = base.counterpart(check)?;
            let is_new = counterpart.failed() && seen.insert(check.matrix());
            is_new.then_some((*index, counterpart))
        });
        let each = failed
            .take(MAX_FROM_BASE)
            .map(|(index, counterpart)| async move {
                let _permit = self.permits.acquire().await;
                let mut trouble = None;
                let log = self.log(counterpart.check.job, &mut trouble).await;
                let on_base = log.map(|log| OnBase {
                    check: index,
                    found: self.told_by_log(index, &log),
                });
                (on_base, trouble)
            });
        join_all(each).await
    }
}

/// The end of a text, cut at its beginning.
fn end_of(text: &str) -> String {
    let letters = text.chars().count();
    match letters.checked_sub(MAX_ERROR_LEN) {
        None | Some(0) => text.to_owned(),
        Some(more) => format!("…{}", text.chars().skip(more).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_is_what_counts() {
        let text = format!("{}end", "ä".repeat(MAX_ERROR_LEN));
        let cut = end_of(&text);
        assert!(cut.starts_with('…') && cut.ends_with("äend"));
        assert_eq!(cut.chars().count(), MAX_ERROR_LEN + 1);
        assert_eq!(end_of("short"), "short");
    }
}
