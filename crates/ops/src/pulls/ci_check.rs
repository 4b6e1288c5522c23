//! A check of a commit, however it was reported: by an app, as a status, or as a job.

use baton_remote::github::NodeId;
use baton_remote::github::enums::{CheckConclusion, CheckStatus, StatusState};
use baton_remote::github::questions::pull_request_checks::{
    Check, RunCheck, RunOfWorkflow, StatusCheck,
};
use jiff::Timestamp;

#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about the check"
)]
pub(super) struct CiCheck {
    /// As required checks name it.
    pub(super) name: String,
    /// As people see it: a job with its workflow.
    pub(super) shown: String,
    pub(super) state: CiState,
    /// The forge's word for the state.
    pub(super) word: String,
    pub(super) required: bool,
    /// Whether it is required could be read.
    pub(super) is_requirement_known: bool,
    /// False: it is required, and nothing has reported it.
    pub(super) is_reported: bool,
    pub(super) url: Option<String>,
    /// The check run, where it is one.
    pub(super) node: Option<NodeId>,
    pub(super) suite: Option<NodeId>,
    /// The job behind it, which has a log.
    pub(super) job: Option<u64>,
    pub(super) run: Option<RunFacts>,
    /// The app that reports it, by its name in addresses.
    pub(super) app: Option<String>,
    /// The same app by its number. A commit status does not name its app.
    pub(super) app_id: Option<u64>,
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
pub(super) enum CiState {
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
    /// A person has to approve the run, or to act elsewhere.
    ActionRequired,
    /// GitHub gave up on it.
    Stale,
    /// The workflow has no job that could be started.
    Unstartable,
    /// It is required, and nothing reported it.
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

impl CiCheck {
    /// Absent for a kind of check that this version does not know.
    pub(super) fn read(check: &Check) -> Option<Self> {
        match check {
            Check::Run(run) => Some(from_run(run)),
            Check::Status(status) => Some(from_status(status)),
            Check::Unknown => None,
        }
    }

    pub(super) fn new(name: String, state: CiState) -> Self {
        Self {
            shown: name.clone(),
            name,
            state,
            required: false,
            is_requirement_known: true,
            is_reported: true,
            url: None,
            node: None,
            suite: None,
            job: None,
            run: None,
            word: String::new(),
            app: None,
            app_id: None,
            passed_before: false,
            started_at: None,
            completed_at: None,
            says: None,
        }
    }

    pub(super) fn is_unfinished(&self) -> bool {
        matches!(self.state, CiState::Waiting | CiState::Running)
    }

    pub(super) fn failed(&self) -> Option<&Why> {
        match &self.state {
            CiState::Failed(why) => Some(why),
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

fn from_run(check: &RunCheck) -> CiCheck {
    let suite = check.check_suite.as_ref();
    let app = suite.and_then(|suite| suite.app.as_ref());
    let word = match (&check.status, &check.conclusion) {
        (CheckStatus::Completed, Some(conclusion)) => conclusion.as_str(),
        (status, _) => status.as_str(),
    };
    let run = suite.and_then(|suite| suite.workflow_run.as_ref());
    let run = run.and_then(RunFacts::read);
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
    CiCheck {
        shown,
        required: check.is_required == Some(true),
        is_requirement_known: check.is_required.is_some(),
        url: check
            .details_url
            .clone()
            .or_else(|| check.permalink.clone()),
        node: Some(check.id.clone()),
        suite: suite.map(|suite| suite.id.clone()),
        job: check.job_id(),
        run,
        word: word.to_uppercase(),
        app: app.and_then(|app| app.slug.clone()),
        app_id: app.and_then(|app| app.id),
        started_at: check.started_at,
        completed_at: check.completed_at,
        says: (!said.is_empty()).then(|| said.join("\n\n")),
        ..CiCheck::new(
            check.name.clone(),
            CiState::from_run(&check.status, check.conclusion.as_ref()),
        )
    }
}

fn from_status(status: &StatusCheck) -> CiCheck {
    let state = match &status.state {
        StatusState::Success => CiState::Passed,
        StatusState::Failure | StatusState::Error => CiState::Failed(Why::Failure),
        // What an unknown word means may become known.
        StatusState::Pending | StatusState::Expected | StatusState::Unknown(_) => CiState::Waiting,
    };
    CiCheck {
        word: status.state.as_str().to_uppercase(),
        required: status.is_required == Some(true),
        is_requirement_known: status.is_required.is_some(),
        url: status.target_url.clone(),
        completed_at: status.created_at,
        says: status.description.clone().filter(|said| !said.is_empty()),
        ..CiCheck::new(status.context.clone(), state)
    }
}

impl RunFacts {
    pub(super) fn read(run: &RunOfWorkflow) -> Option<Self> {
        let id = run.run_id()?;
        let workflow = run.workflow.as_ref().map(|workflow| workflow.name.clone());
        Some(Self {
            id,
            // Two runs whose names could not be read may be of two workflows.
            workflow: workflow.unwrap_or_else(|| format!("the workflow of run {id}")),
            event: run.event.clone(),
            created_at: run.created_at,
        })
    }
}

impl CiState {
    pub(super) fn from_run(status: &CheckStatus, conclusion: Option<&CheckConclusion>) -> Self {
        match status {
            CheckStatus::Completed => {}
            CheckStatus::InProgress => return Self::Running,
            _ => return Self::Waiting,
        }
        let why = match conclusion {
            Some(conclusion) if conclusion.lets_through() => return Self::Passed,
            Some(CheckConclusion::Failure) => Why::Failure,
            Some(CheckConclusion::TimedOut) => Why::TimedOut,
            Some(CheckConclusion::Cancelled) => Why::Cancelled,
            Some(CheckConclusion::ActionRequired) => Why::ActionRequired,
            Some(CheckConclusion::Stale) => Why::Stale,
            Some(CheckConclusion::StartupFailure) => Why::Unstartable,
            Some(other) => Why::Other(other.as_str().to_owned()),
            None => Why::Other("no conclusion".to_owned()),
        };
        Self::Failed(why)
    }
}
