//! Everything that checks and statuses say about a commit, taken together.

use super::check_runs::{self, CheckRun, RunFilter};
use super::check_state::StatusState;
use super::commit_statuses::{self, CommitStatus};
use crate::store::prelude::*;

/// The latest word of every check and every status.
#[derive(Debug, Clone)]
pub(crate) struct Rollup {
    pub(crate) contexts: Vec<Context>,
}

#[derive(Debug, Clone)]
pub(crate) enum Context {
    CheckRun(CheckRun),
    Status(CommitStatus),
}

pub(crate) fn for_commit(
    conn: &Connection,
    repository_id: i64,
    sha: &str,
) -> rusqlite::Result<Rollup> {
    let runs = check_runs::for_commit(conn, repository_id, sha, RunFilter::default())?;
    let statuses = commit_statuses::latest_of_commit(conn, repository_id, sha)?;
    let contexts = runs
        .into_iter()
        .map(Context::CheckRun)
        .chain(statuses.into_iter().map(Context::Status))
        .collect();
    Ok(Rollup { contexts })
}

impl Rollup {
    /// Nothing where no one said anything.
    pub(crate) fn state(&self) -> Option<StatusState> {
        combined(self.contexts.iter().map(Context::state))
    }
}

impl Context {
    /// What a required check is asked for by.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::CheckRun(run) => &run.name,
            Self::Status(status) => &status.context,
        }
    }

    pub(crate) fn state(&self) -> StatusState {
        match self {
            Self::Status(status) => status.state,
            Self::CheckRun(run) => match run.progress.conclusion() {
                None => StatusState::Pending,
                Some(conclusion) if conclusion.passes() => StatusState::Success,
                Some(_) => StatusState::Failure,
            },
        }
    }
}

/// The worst of them. A failure is known before all the rest is.
pub(crate) fn combined(states: impl IntoIterator<Item = StatusState>) -> Option<StatusState> {
    let states: Vec<StatusState> = states.into_iter().collect();
    [
        StatusState::Failure,
        StatusState::Error,
        StatusState::Pending,
        StatusState::Success,
    ]
    .into_iter()
    .find(|worst| states.contains(worst))
}
