//! Cancelling workflow runs.

use super::jobs::{self, JobUpdate};
use super::{refused, start};
use crate::actions::prelude::*;
use crate::store::check_state::{Conclusion, Progress};
use crate::store::workflow_jobs;
use crate::store::workflow_runs::{self, RunFilter, WorkflowRun};

const CANCELLED: Progress = Progress::Completed(Conclusion::Cancelled);

/// Jobs that are executed are ended by the runner, which sees that this is
/// wanted; all others end here.
pub(crate) fn cancel(tx: &Transaction<'_>, run: &WorkflowRun, at: &str) -> Result<()> {
    if run.attempt.progress.is_completed() {
        return Err(refused(
            StatusCode::CONFLICT,
            "Cannot cancel a workflow run that is completed.",
        ));
    }
    workflow_runs::request_cancel(tx, run.id)?;
    let jobs = workflow_jobs::for_attempt(tx, run.id, run.latest_attempt)?;
    if jobs.is_empty() {
        return start::set_progress(tx, run, CANCELLED, at);
    }
    let cancelled = JobUpdate {
        progress: Some(CANCELLED),
        ..JobUpdate::default()
    };
    for job in jobs.iter().filter(|job| !job.progress.is_completed()) {
        let executed = job.order.is_some() && job.progress == Progress::IN_PROGRESS;
        if !executed {
            jobs::change(tx, run, job.id, &cancelled, at)?;
        }
    }
    Ok(())
}

/// No one waits for what is checked on a branch that is gone.
pub(crate) fn cancel_abandoned(
    tx: &Transaction<'_>,
    repository_id: i64,
    branch: &str,
    at: &str,
) -> Result<()> {
    let there = RunFilter {
        branch: Some(branch),
        unfinished: true,
        ..RunFilter::default()
    };
    for run in workflow_runs::for_repository(tx, repository_id, &there, NO_LIMIT, 0)? {
        if run.built_in {
            cancel(tx, &run, at)?;
        }
    }
    Ok(())
}

/// More than are ever unfinished; SQLite counts with signed numbers.
const NO_LIMIT: usize = 1_000_000;

/// A newer commit of the same branch makes these runs pointless.
pub(crate) fn cancel_superseded(tx: &Transaction<'_>, newer: &WorkflowRun, at: &str) -> Result<()> {
    let Some(branch) = &newer.head_branch else {
        return Ok(());
    };
    let same = RunFilter {
        workflow_id: Some(newer.workflow_id),
        branch: Some(branch),
        event: Some(&newer.event),
        unfinished: true,
        ..RunFilter::default()
    };
    let repository_id = newer.repository_id;
    for run in workflow_runs::for_repository(tx, repository_id, &same, NO_LIMIT, 0)? {
        let older = run.id < newer.id && run.head_repository_id == newer.head_repository_id;
        if older && run.built_in {
            cancel(tx, &run, at)?;
        }
    }
    Ok(())
}
