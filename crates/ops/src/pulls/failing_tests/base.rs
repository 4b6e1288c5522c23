//! What CI says about the branch that a pull request goes to.

use std::time::Duration;

use baton_remote::github::Fact;
use baton_remote::github::enums::StatusState;
use baton_remote::github::questions::pull_request_checks::{
    BaseChecks, CheckedCommit, PastCheck, PastRun,
};

use crate::pulls::ci_check::{CiCheck, CiState, Why};

#[derive(Clone, Debug)]
pub(super) struct Base {
    pub(super) branch: String,
    /// Names of checks that have to pass.
    pub(super) required: Fact<Vec<String>>,
    /// The latest few, newest first.
    pub(super) commits: Vec<BaseCommit>,
    /// The merge base, which may be one of them.
    pub(super) began_at: Option<BaseCommit>,
}

#[derive(Clone, Debug)]
pub(super) struct BaseCommit {
    pub(super) id: String,
    pub(super) checks: Vec<BaseCheck>,
}

#[derive(Clone, Debug)]
pub(super) struct BaseCheck {
    pub(super) name: String,
    pub(super) workflow: Option<String>,
    pub(super) state: CiState,
    pub(super) job: Option<u64>,
    pub(super) took: Option<Duration>,
    pub(super) says: Option<String>,
}

/// The counterpart of a check, where it has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counterpart<'a> {
    pub(super) commit: &'a str,
    pub(super) check: &'a BaseCheck,
    /// It failed on the merge base, and has passed on the branch since.
    pub(super) is_mended: bool,
}

impl Base {
    pub(super) fn new(branch: String, found: BaseChecks) -> Self {
        Self {
            branch,
            required: found.required,
            commits: found.commits.into_iter().map(BaseCommit::from).collect(),
            began_at: found.began_at.map(BaseCommit::from),
        }
    }

    /// The same check on the newest commit on which it has come to an end that
    /// tells something. Where it passed there and failed on the merge base, the
    /// pull request may have the failure from there.
    pub(super) fn counterpart(&self, check: &CiCheck) -> Option<Counterpart<'_>> {
        let newest = self
            .commits
            .iter()
            .find_map(|commit| commit.counterpart(check));
        let before = self
            .began_at
            .as_ref()
            .and_then(|commit| commit.counterpart(check));
        match (newest, before) {
            (Some(newest), Some(before)) if !newest.failed() && before.failed() => {
                Some(Counterpart {
                    is_mended: true,
                    ..before
                })
            }
            (newest, before) => newest.or(before),
        }
    }
}

impl BaseCommit {
    fn counterpart(&self, check: &CiCheck) -> Option<Counterpart<'_>> {
        let found = self.checks.iter().find(|past| {
            let ended = match &past.state {
                CiState::Passed => true,
                CiState::Failed(why) => why.has_run(),
                CiState::Waiting | CiState::Running => false,
            };
            ended && past.name == check.name && past.workflow.as_deref() == check.workflow()
        })?;
        Some(Counterpart {
            commit: &self.id,
            check: found,
            is_mended: false,
        })
    }
}

impl From<CheckedCommit> for BaseCommit {
    fn from(commit: CheckedCommit) -> Self {
        Self {
            id: commit.oid.as_str().to_owned(),
            checks: commit.checks.into_iter().filter_map(facts).collect(),
        }
    }
}

impl Counterpart<'_> {
    pub(super) fn failed(&self) -> bool {
        matches!(self.check.state, CiState::Failed(_))
    }
}

fn facts(check: PastCheck) -> Option<BaseCheck> {
    match check {
        PastCheck::Run(run) => Some(BaseCheck {
            workflow: run.workflow().map(str::to_owned),
            state: CiState::from_run(&run.status, run.conclusion.as_ref()),
            job: run.job_id(),
            took: duration(&run),
            says: None,
            name: run.name,
        }),
        PastCheck::Status(status) => Some(BaseCheck {
            name: status.context,
            workflow: None,
            state: match status.state {
                StatusState::Success => CiState::Passed,
                StatusState::Failure | StatusState::Error => CiState::Failed(Why::Failure),
                _ => CiState::Waiting,
            },
            job: None,
            took: None,
            says: status.description,
        }),
        PastCheck::Unknown => None,
    }
}

fn duration(run: &PastRun) -> Option<Duration> {
    let took = run.completed_at? - run.started_at?;
    u64::try_from(took.get_seconds())
        .ok()
        .map(Duration::from_secs)
}
