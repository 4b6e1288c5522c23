//! All that reports on a commit, seen in one way: check runs, statuses,
//! workflows that have no job yet, and checks that are required and missing.

use baton_protocol::tools::get_failing_tests::{CiInfo, CiStatus};
use baton_remote::github::questions::commit_checks::CommitChecks;
use baton_remote::github::questions::head_checks::HeadChecks;
use baton_remote::github::questions::pull_request_checks::{
    Check, PullRequestChecks, RunCheck, RunOfWorkflow, StatusCheck, Suite,
};
use baton_remote::github::words::{CheckConclusion, CheckStatus, PullState, StatusState};
use baton_remote::github::{Fact, NodeId, Unreadable};
use jiff::Timestamp;

use super::base::Base;
use super::newest;

/// Without them, a required check that nobody reports would go unnoticed.
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
    /// The commit comes from somebody who may not be able to push here.
    pub(super) is_from_fork: bool,
    /// In the order of their names.
    pub(super) checks: Vec<CheckFacts>,
    /// What CI says about the branch that the pull request goes to.
    pub(super) base: Option<Base>,
    /// There are more checks than were read.
    pub(super) truncated: bool,
    /// Why those that were read cannot prove that all passed.
    pub(super) doubts: Vec<Unreadable>,
    /// A page with all checks, for those that have none of their own.
    pub(super) page: String,
}

#[derive(Clone, Debug)]
pub(super) struct CheckFacts {
    /// As required checks name it.
    pub(super) name: String,
    /// As people see it: a job with its workflow.
    pub(super) shown: String,
    pub(super) state: State,
    pub(super) required: bool,
    /// False: somebody wants it, and nobody has said anything about it.
    pub(super) is_reported: bool,
    pub(super) url: Option<String>,
    /// The check run, where it is one.
    pub(super) node: Option<NodeId>,
    pub(super) suite: Option<NodeId>,
    /// The job behind it, which has a log.
    pub(super) job: Option<u64>,
    pub(super) run: Option<RunFacts>,
    /// Whoever reports it, where that is not GitHub Actions.
    pub(super) app: Option<String>,
    /// An earlier run of it on the same commit passed.
    pub(super) passed_before: bool,
    pub(super) started_at: Option<Timestamp>,
    pub(super) completed_at: Option<Timestamp>,
    /// What the check says of itself.
    pub(super) says: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunFacts {
    pub(super) id: u64,
    pub(super) workflow: String,
    /// What it was started by, such as `push`.
    pub(super) event: Option<String>,
    pub(super) created_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing has started.
    Waiting,
    Running,
    Passed,
    Failed(Why),
}

/// How a check came not to pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Failure,
    TimedOut,
    Cancelled,
    /// Somebody has to approve the run, or to act elsewhere.
    ActionRequired,
    /// GitHub gave up on it.
    Stale,
    /// The workflow has no job that could be started.
    Unstartable,
    /// It is required, and nobody reported it.
    NeverReported,
    /// A word that this version does not know.
    Other(String),
}

impl Why {
    /// Whether something ran that can tell more.
    pub(super) fn has_run(&self) -> bool {
        matches!(self, Self::Failure | Self::TimedOut | Self::Other(_))
    }
}

impl CheckFacts {
    pub(super) fn is_unfinished(&self) -> bool {
        matches!(self.state, State::Waiting | State::Running)
    }

    pub(super) fn failed(&self) -> Option<&Why> {
        match &self.state {
            State::Failed(why) => Some(why),
            _ => None,
        }
    }

    /// The workflow that the job is of.
    pub(super) fn workflow(&self) -> Option<&str> {
        self.run.as_ref().map(|run| run.workflow.as_str())
    }

    /// The name without what a matrix adds: the same for all its jobs.
    pub(super) fn matrix(&self) -> (Option<&str>, &str) {
        let name = self.name.split(" (").next().unwrap_or(&self.name);
        (self.workflow(), name)
    }
}

impl Survey {
    /// `known` is what an earlier look learned of the base, which a later one
    /// need not ask again.
    pub(super) fn of_pull(found: PullRequestChecks, known: Option<Base>, now: Timestamp) -> Self {
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

    pub(super) fn of_commit(found: CommitChecks) -> Self {
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

    /// Nobody reports anything on the commit, which is known for sure.
    pub(super) fn has_no_ci(&self) -> bool {
        self.checks.is_empty() && self.doubts.is_empty()
    }

    /// Something may still change without anybody's doing.
    pub(super) fn is_unfinished(&self) -> bool {
        self.checks.iter().any(CheckFacts::is_unfinished)
    }

    pub(super) fn failed(&self) -> impl Iterator<Item = (usize, &CheckFacts)> {
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
            let has_started = |check: &CheckFacts| match &check.state {
                State::Waiting | State::Failed(Why::NeverReported) => false,
                State::Running | State::Passed | State::Failed(_) => true,
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
            let is_of_run = |check: &&CheckFacts| check.run.as_ref() == Some(run);
            self.checks.iter().filter(is_of_run)
        };
        let started = checks().filter_map(|check| check.started_at).min();
        let started = started.or(run.created_at)?;
        let ended = checks().filter_map(|check| check.completed_at).max();
        let ended = ended.filter(|_| !checks().any(CheckFacts::is_unfinished));
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

impl CheckFacts {
    pub(super) fn new(name: String, state: State) -> Self {
        Self {
            shown: name.clone(),
            name,
            state,
            required: false,
            is_reported: true,
            url: None,
            node: None,
            suite: None,
            job: None,
            run: None,
            app: None,
            passed_before: false,
            started_at: None,
            completed_at: None,
            says: None,
        }
    }
}

/// Those that could be read.
fn facts(head: &HeadChecks) -> Vec<CheckFacts> {
    let each = head.readable().filter_map(|check| match check {
        Check::Run(run) => Some(of_run(run)),
        Check::Status(status) => Some(of_status(status)),
        Check::Unknown => None,
    });
    let mut facts: Vec<CheckFacts> = each.collect();
    let workflows: Vec<_> = head
        .readable_suites()
        .filter_map(|suite| of_suite(suite, &facts))
        .collect();
    facts.extend(workflows);
    let mut facts = newest::only(facts);
    sort(&mut facts);
    facts
}

pub(super) fn sort(checks: &mut [CheckFacts]) {
    checks.sort_by(|one, other| {
        let key = |check: &CheckFacts| (check.shown.clone(), check.job);
        key(one).cmp(&key(other))
    });
}

fn of_run(check: &RunCheck) -> CheckFacts {
    let suite = check.check_suite.as_ref();
    let run = suite.and_then(|suite| suite.workflow_run.as_ref());
    let run = run.and_then(run_facts);
    let shown = match &run {
        Some(run) => format!("{} / {}", run.workflow, check.name),
        None => check.name.clone(),
    };
    let said: Vec<&str> = [&check.title, &check.summary]
        .into_iter()
        .filter_map(|said| said.as_deref())
        .map(str::trim)
        .filter(|said| !said.is_empty())
        .collect();
    CheckFacts {
        shown,
        required: check.is_required,
        url: check
            .details_url
            .clone()
            .or_else(|| check.permalink.clone()),
        node: Some(check.id.clone()),
        suite: suite.map(|suite| suite.id.clone()),
        job: check.job_id(),
        run,
        app: suite
            .and_then(|suite| suite.app.as_ref())
            .and_then(|app| app.slug.clone()),
        started_at: check.started_at,
        completed_at: check.completed_at,
        says: (!said.is_empty()).then(|| said.join("\n\n")),
        ..CheckFacts::new(
            check.name.clone(),
            run_state(&check.status, check.conclusion.as_ref()),
        )
    }
}

fn of_status(status: &StatusCheck) -> CheckFacts {
    let state = match &status.state {
        StatusState::Success => State::Passed,
        StatusState::Failure | StatusState::Error => State::Failed(Why::Failure),
        // What an unknown word means may become known.
        StatusState::Pending | StatusState::Expected | StatusState::Unknown(_) => State::Waiting,
    };
    CheckFacts {
        required: status.is_required,
        url: status.target_url.clone(),
        completed_at: status.created_at,
        says: status.description.clone().filter(|said| !said.is_empty()),
        ..CheckFacts::new(status.context.clone(), state)
    }
}

/// A workflow that has no job which would tell of it. Suites of other apps say
/// nothing: GitHub makes one for every app, and many never report.
fn of_suite(suite: &Suite, checks: &[CheckFacts]) -> Option<CheckFacts> {
    let run = run_facts(suite.workflow_run.as_ref()?)?;
    let has_jobs = suite.check_runs.is_none_or(|count| count.total_count > 0);
    let state = match run_state(&suite.status, suite.conclusion.as_ref()) {
        State::Failed(Why::Failure | Why::Unstartable) if !has_jobs => {
            State::Failed(Why::Unstartable)
        }
        State::Failed(Why::ActionRequired) if !has_jobs => State::Failed(Why::ActionRequired),
        State::Passed | State::Failed(_) => return None,
        // A job that waits for others has no check until they are done.
        unfinished => {
            let tells = |check: &CheckFacts| {
                check.suite.as_ref() == Some(&suite.id) && check.is_unfinished()
            };
            if checks.iter().any(tells) {
                return None;
            }
            if has_jobs { State::Running } else { unfinished }
        }
    };
    let url = suite.workflow_run.as_ref().and_then(|run| run.url.clone());
    Some(CheckFacts {
        url,
        suite: Some(suite.id.clone()),
        run: Some(run.clone()),
        ..CheckFacts::new(run.workflow, state)
    })
}

fn run_facts(run: &RunOfWorkflow) -> Option<RunFacts> {
    let workflow = run.workflow.as_ref().map(|workflow| workflow.name.clone());
    Some(RunFacts {
        id: run.run_id()?,
        workflow: workflow.unwrap_or_else(|| "a workflow without a name".to_owned()),
        event: run.event.clone(),
        created_at: run.created_at,
    })
}

pub(super) fn run_state(status: &CheckStatus, conclusion: Option<&CheckConclusion>) -> State {
    match status {
        CheckStatus::Completed => {}
        CheckStatus::InProgress => return State::Running,
        _ => return State::Waiting,
    }
    let why = match conclusion {
        Some(conclusion) if conclusion.lets_through() => return State::Passed,
        Some(CheckConclusion::Failure) => Why::Failure,
        Some(CheckConclusion::TimedOut) => Why::TimedOut,
        Some(CheckConclusion::Cancelled) => Why::Cancelled,
        Some(CheckConclusion::ActionRequired) => Why::ActionRequired,
        Some(CheckConclusion::Stale) => Why::Stale,
        Some(CheckConclusion::StartupFailure) => Why::Unstartable,
        Some(other) => Why::Other(other.as_str().to_owned()),
        None => Why::Other("no conclusion".to_owned()),
    };
    State::Failed(why)
}
