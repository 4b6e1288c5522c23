//! Running a workflow again.

use super::jobs::{self, NewJob};
use super::{refused, start};
use crate::actions::prelude::*;
use crate::store::check_state::Progress;
use crate::store::workflow_jobs::{self, Job};
use crate::store::workflow_runs::{self, WorkflowRun};

/// GitHub's own limit.
const MAX_ATTEMPTS: i64 = 50;

/// Which jobs are executed again; the others keep their results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    All,
    Failed,
}

/// Starts the next attempt of a run that has ended.
pub(crate) fn start(
    tx: &Transaction<'_>,
    run: &WorkflowRun,
    which: Which,
    actor: &User,
    at: &str,
) -> Result<()> {
    if !run.attempt.progress.is_completed() {
        return Err(refused(
            StatusCode::FORBIDDEN,
            "This workflow is already running",
        ));
    }
    let jobs = workflow_jobs::for_attempt(tx, run.id, run.latest_attempt)?;
    let chosen: Vec<&Job> = jobs.iter().filter(|job| which.chooses(job)).collect();
    if chosen.is_empty() || run.latest_attempt >= MAX_ATTEMPTS {
        return Err(refused(
            StatusCode::FORBIDDEN,
            "This workflow run cannot be retried",
        ));
    }
    workflow_runs::start_attempt(tx, run.id, Some(actor.id), at)?;
    let run = workflow_runs::by_id(tx, run.id)?.ok_or(ApiError::NotFound)?;
    start::set_progress(tx, &run, Progress::QUEUED, at)?;
    start::record(tx, &run, "requested", at)?;
    for job in chosen {
        let again = NewJob {
            name: job.name.clone(),
            labels: job.labels.clone(),
            runner_name: None,
            order: job.order.clone(),
        };
        jobs::add(tx, &run, &again, at)?;
    }
    Ok(())
}

impl Which {
    fn chooses(self, job: &Job) -> bool {
        match self {
            Self::All => true,
            Self::Failed => job
                .progress
                .conclusion()
                .is_some_and(|conclusion| !conclusion.passes()),
        }
    }
}
