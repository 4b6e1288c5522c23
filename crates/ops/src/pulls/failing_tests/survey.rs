//! All that reports on a commit, seen in one way: check runs, statuses,
//! workflows that have no job yet, and checks that are required and missing.

use baton_protocol::tools::get_failing_tests::{CiInfo, CiStatus};
use baton_remote::github::enums::PullState;
use baton_remote::github::questions::commit_checks::CommitChecks;
use baton_remote::github::questions::head_checks::HeadChecks;
use baton_remote::github::questions::pull_request_checks::{PullRequestChecks, Suite};
use baton_remote::github::{Fact, Unreadable};
use jiff::Timestamp;

use super::base::Base;
use crate::pulls::ci_check::{CiCheck, CiState, RunFacts, Why};
use crate::pulls::newest;

/// Without them, a required check that nothing reports would go unnoticed.
const REQUIRED: &str = "the list of checks that the base branch requires";

/// What CI says about a commit.
#[derive(Clone, Debug, Default)]
pub(super) struct Survey {
    /// The commit's full id.
    pub(super) head: String,
    /// Of the pull request, if it is about one.
    pub(super) number: Option<u32>,
    /// Closed or merged: nothing is waited for.
    pub(super) is_closed: bool,
    /// The commit comes from someone who may not be able to push here.
    pub(super) is_from_fork: bool,
    /// In the order of their names.
    pub(super) checks: Vec<CiCheck>,
    /// What CI says about the branch that the pull request goes to.
    pub(super) base: Option<Base>,
    /// There are more checks than were read.
    pub(super) truncated: bool,
    /// Why those that were read cannot prove that all passed.
    pub(super) doubts: Vec<Unreadable>,
    /// Other parts that could not be read, such as whether a check is required.
    pub(super) unreadable: Vec<Unreadable>,
    /// A page with all checks, for those that have none of their own.
    pub(super) page: String,
}

impl Survey {
    /// `known` is what an earlier look learned of the base, which a later one
    /// need not ask again.
    pub(super) fn from_pull(found: PullRequestChecks, known: Option<Base>, now: Timestamp) -> Self {
        let pull = found.pull;
        let mut doubts = found.head.withheld();
        let base = match found.base {
            Fact::Known(base) => base.map(|base| Base::new(pull.base_ref_name, base)),
            Fact::Unreadable(unreadable) => {
                doubts.push(unreadable.about(REQUIRED));
                None
            }
        };
        let base = base.or(known);
        if let Some(Fact::Unreadable(unreadable)) = base.as_ref().map(|base| &base.required) {
            doubts.push(unreadable.about(REQUIRED));
        }
        let mut survey = Self {
            head: pull.head_ref_oid.as_str().to_owned(),
            number: Some(pull.number),
            is_closed: matches!(pull.state, PullState::Closed | PullState::Merged),
            is_from_fork: pull.is_cross_repository,
            checks: facts(&found.head),
            base,
            truncated: found.head.truncated,
            unreadable: if doubts.is_empty() {
                found.unreadable
            } else {
                Vec::new()
            },
            doubts,
            page: format!("{}/checks", pull.url),
        };
        // What is withheld may be the very check that is missing.
        if survey.doubts.is_empty() {
            survey.add_missing(now);
        }
        survey.add_contradiction(&found.head);
        survey
    }

    pub(super) fn from_commit(found: CommitChecks) -> Self {
        let mut survey = Self {
            head: found.oid.as_str().to_owned(),
            checks: facts(&found.head),
            truncated: found.head.truncated,
            doubts: found.head.withheld(),
            page: found.url,
            ..Self::default()
        };
        survey.add_contradiction(&found.head);
        survey
    }

    /// Only where all seems to have passed; anything else explains the summary.
    fn add_contradiction(&mut self, head: &HeadChecks) {
        if self.status() == CiStatus::Passed {
            self.doubts.extend(head.contradiction());
        }
    }

    /// Nothing reports anything on the commit, which is known for sure.
    pub(super) fn has_no_ci(&self) -> bool {
        self.checks.is_empty() && self.doubts.is_empty()
    }

    /// Something may still change without anybody's doing.
    pub(super) fn is_unfinished(&self) -> bool {
        self.checks.iter().any(CiCheck::is_unfinished)
    }

    pub(super) fn failed(&self) -> impl Iterator<Item = (usize, &CiCheck)> {
        self.checks
            .iter()
            .enumerate()
            .filter(|(_, check)| check.failed().is_some())
    }

    pub(super) fn status(&self) -> CiStatus {
        if self.has_no_ci() {
            return CiStatus::Unknown;
        }
        if self.is_unfinished() {
            let has_started = |check: &CiCheck| match &check.state {
                CiState::Waiting | CiState::Failed(Why::NeverReported) => false,
                CiState::Running | CiState::Passed | CiState::Failed(_) => true,
            };
            return if self.checks.iter().any(has_started) {
                CiStatus::Running
            } else {
                CiStatus::Pending
            };
        }
        if self.failed().next().is_some() {
            CiStatus::Failed
        } else if self.truncated || !self.doubts.is_empty() {
            CiStatus::Unknown
        } else {
            CiStatus::Passed
        }
    }

    /// The run of which something failed, else the newest one.
    pub(super) fn ci_info(&self) -> Option<CiInfo> {
        let newest = |only_failed: bool| {
            let runs = self.checks.iter().filter_map(|check| {
                let wanted = !only_failed || check.failed().is_some();
                check.run.as_ref().filter(|_| wanted)
            });
            runs.max_by_key(|run| run.id)
        };
        let run = newest(true).or_else(|| newest(false))?;
        let checks = || {
            let is_of_run = |check: &&CiCheck| check.run.as_ref() == Some(run);
            self.checks.iter().filter(is_of_run)
        };
        let started = checks().filter_map(|check| check.started_at).min();
        let started = started.or(run.created_at)?;
        let ended = checks().filter_map(|check| check.completed_at).max();
        let ended = ended.filter(|_| !checks().any(CiCheck::is_unfinished));
        let seconds = ended.map(|ended| (ended - started).get_seconds().max(0));
        Some(CiInfo {
            workflow_name: run.workflow.clone(),
            run_id: run.id,
            started_at: started.to_string(),
            completed_at: ended.map(|ended| ended.to_string()),
            duration_seconds: seconds.and_then(|seconds| u64::try_from(seconds).ok()),
        })
    }
}

/// Those that could be read.
fn facts(head: &HeadChecks) -> Vec<CiCheck> {
    let mut facts: Vec<CiCheck> = head.readable().filter_map(CiCheck::read).collect();
    let workflows: Vec<_> = head
        .readable_suites()
        .filter_map(|suite| check_from_suite(suite, &facts))
        .collect();
    facts.extend(workflows);
    let mut facts = newest::only(facts);
    sort(&mut facts);
    facts
}

pub(super) fn sort(checks: &mut [CiCheck]) {
    checks.sort_by(|one, other| {
        let key = |check: &CiCheck| (check.shown.clone(), check.job);
        key(one).cmp(&key(other))
    });
}

/// A workflow that has no job which would tell of it. Suites of other apps say
/// nothing: GitHub makes one for every app, and many never report.
fn check_from_suite(suite: &Suite, checks: &[CiCheck]) -> Option<CiCheck> {
    let run = RunFacts::read(suite.workflow_run.as_ref()?)?;
    let has_jobs = suite.check_runs.is_none_or(|count| count.total_count > 0);
    let state = match CiState::from_run(&suite.status, suite.conclusion.as_ref()) {
        CiState::Failed(Why::Failure | Why::Unstartable) if !has_jobs => {
            CiState::Failed(Why::Unstartable)
        }
        CiState::Failed(Why::ActionRequired) if !has_jobs => CiState::Failed(Why::ActionRequired),
        CiState::Passed | CiState::Failed(_) => return None,
        // A job that waits for others has no check until they are done.
        unfinished => {
            let tells =
                |check: &CiCheck| check.suite.as_ref() == Some(&suite.id) && check.is_unfinished();
            if checks.iter().any(tells) {
                return None;
            }
            if has_jobs {
                CiState::Running
            } else {
                unfinished
            }
        }
    };
    let url = suite.workflow_run.as_ref().and_then(|run| run.url.clone());
    Some(CiCheck {
        url,
        suite: Some(suite.id.clone()),
        run: Some(run.clone()),
        ..CiCheck::new(run.workflow, state)
    })
}
