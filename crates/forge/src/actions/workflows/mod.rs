//! Runs of workflows: who starts them, how their jobs go on, how they end.
//!
//! A run and its suite follow from the jobs; nothing else sets their state,
//! except where there are no jobs to follow.

pub(crate) mod approve;
pub(crate) mod artifacts;
pub(crate) mod cancel;
pub(crate) mod feed;
pub(crate) mod jobs;
pub(crate) mod rerun;
pub(crate) mod start;

use crate::actions::prelude::*;
use crate::store::workflow_jobs::{self, Job};
use crate::store::workflow_runs::{self, WorkflowRun};

pub(crate) use rerun::Which;

/// The run, when it belongs to the repository.
pub(crate) fn run_of(conn: &Connection, repository: &Repository, id: i64) -> Result<WorkflowRun> {
    workflow_runs::by_id(conn, id)?
        .filter(|run| run.repository_id == repository.id)
        .ok_or(ApiError::NotFound)
}

/// The job and its run, when they belong to the repository.
pub(crate) fn job_of(
    conn: &Connection,
    repository: &Repository,
    id: i64,
) -> Result<(WorkflowRun, Job)> {
    let job = workflow_jobs::by_id(conn, id)?.ok_or(ApiError::NotFound)?;
    let run = run_of(conn, repository, job.run_id)?;
    Ok((run, job))
}

fn refused(status: StatusCode, message: &str) -> ApiError {
    ApiError::Refused {
        status,
        message: message.to_owned(),
    }
}
