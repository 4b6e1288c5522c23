//! Jobs of a workflow run, and the run that follows them.

use super::start;
use crate::actions::prelude::*;
use crate::store::check_annotations::{self, Annotation};
use crate::store::check_runs::{self, NewCheckRun};
use crate::store::check_state::{CheckStatus, Conclusion, Progress};
use crate::store::workflow_jobs::{self, Job, Order};
use crate::store::workflow_runs::{self, WorkflowRun};
use crate::store::workflow_steps::{self, Step};

/// A job to be.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewJob {
    pub(crate) name: String,
    pub(crate) labels: Vec<String>,
    pub(crate) runner_name: Option<String>,
    pub(crate) order: Option<Order>,
}

/// What is new about a job; whatever is absent stays as it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobUpdate {
    pub(crate) progress: Option<Progress>,
    pub(crate) started_at: Option<String>,
    pub(crate) completed_at: Option<String>,
    pub(crate) runner_name: Option<String>,
    /// Steps by their numbers; others stay.
    pub(crate) steps: Vec<Step>,
    pub(crate) annotations: Vec<Annotation>,
}

/// Adds a job to the latest attempt of a run, queued.
pub(crate) fn add(tx: &Transaction<'_>, run: &WorkflowRun, new: &NewJob, at: &str) -> Result<Job> {
    let id = check_runs::create(
        tx,
        &NewCheckRun {
            suite_id: run.suite_id,
            name: &new.name,
            external_id: "",
            details_url: None,
            progress: Progress::QUEUED,
            started_at: None,
            completed_at: None,
        },
    )?;
    workflow_jobs::create(
        tx,
        &workflow_jobs::NewJob {
            id,
            run_id: run.id,
            attempt: run.latest_attempt,
            labels: &new.labels,
            runner_name: new.runner_name.as_deref(),
            order: new.order.as_ref(),
            at,
        },
    )?;
    let change = start::change_of(tx, run, at);
    change.event("check_run", "created", id, None)?;
    change.event("workflow_job", "queued", id, None)?;
    follow(tx, run.id, at)?;
    workflow_jobs::by_id(tx, id)?.ok_or(ApiError::NotFound)
}

/// Takes a change down, and what follows from it for the run.
pub(crate) fn change(
    tx: &Transaction<'_>,
    run: &WorkflowRun,
    id: i64,
    change: &JobUpdate,
    at: &str,
) -> Result<Job> {
    let mut check_run = check_runs::by_id(tx, id)?.ok_or(ApiError::NotFound)?;
    let before = check_run.progress;
    if let Some(progress) = change.progress {
        check_run.progress = progress;
    }
    let begun = check_run.progress.status() != CheckStatus::Queued;
    let given_start = change.started_at.clone().or(check_run.started_at);
    check_run.started_at = given_start.or_else(|| begun.then(|| at.to_owned()));
    check_run.completed_at = match check_run.progress {
        Progress::Unfinished(_) => None,
        Progress::Completed(_) => {
            let given_end = change.completed_at.clone().or(check_run.completed_at);
            given_end.or_else(|| Some(at.to_owned()))
        }
    };
    check_runs::update(tx, &check_run)?;
    if let Some(name) = &change.runner_name {
        workflow_jobs::set_runner(tx, id, name)?;
    }
    for step in &change.steps {
        workflow_steps::put(tx, id, step)?;
    }
    for annotation in &change.annotations {
        check_annotations::add(tx, id, annotation)?;
    }
    if check_run.progress != before {
        moved(tx, run, id, check_run.progress, at)?;
    }
    workflow_jobs::by_id(tx, id)?.ok_or(ApiError::NotFound)
}

/// As if it had never started: the process that executed it is gone.
pub(crate) fn put_back(tx: &Transaction<'_>, run: &WorkflowRun, id: i64, at: &str) -> Result<()> {
    workflow_steps::clear(tx, id)?;
    check_annotations::clear(tx, id)?;
    let mut check_run = check_runs::by_id(tx, id)?.ok_or(ApiError::NotFound)?;
    check_run.progress = Progress::QUEUED;
    check_run.started_at = None;
    check_runs::update(tx, &check_run)?;
    moved(tx, run, id, Progress::QUEUED, at)
}

fn moved(
    tx: &Transaction<'_>,
    run: &WorkflowRun,
    id: i64,
    progress: Progress,
    at: &str,
) -> Result<()> {
    let change = start::change_of(tx, run, at);
    if let Progress::Completed(conclusion) = progress {
        end_steps(tx, id, conclusion, at)?;
        change.event("check_run", "completed", id, None)?;
    }
    change.event("workflow_job", progress.status().as_str(), id, None)?;
    follow(tx, run.id, at)
}

/// A job that ended has no step that is under way.
fn end_steps(tx: &Transaction<'_>, job_id: i64, conclusion: Conclusion, at: &str) -> Result<()> {
    for mut step in workflow_steps::for_job(tx, job_id)? {
        step.progress = match step.progress {
            Progress::Completed(_) => continue,
            Progress::IN_PROGRESS => Progress::Completed(conclusion),
            Progress::Unfinished(_) => Progress::Completed(Conclusion::Skipped),
        };
        step.started_at.get_or_insert_with(|| at.to_owned());
        step.completed_at = Some(at.to_owned());
        workflow_steps::put(tx, job_id, &step)?;
    }
    Ok(())
}

/// Lets a run follow its jobs. One that someone cancelled ends as cancelled,
/// whatever its other jobs came to.
pub(super) fn follow(tx: &Transaction<'_>, run_id: i64, at: &str) -> Result<()> {
    let run = workflow_runs::by_id(tx, run_id)?.ok_or(ApiError::NotFound)?;
    let jobs = workflow_jobs::for_attempt(tx, run_id, run.latest_attempt)?;
    let Some(progress) = Progress::from_parts(jobs.iter().map(|job| job.progress)) else {
        return Ok(());
    };
    let cancelled = Progress::Completed(Conclusion::Cancelled);
    let was_cancelled = run.cancel_requested && jobs.iter().any(|job| job.progress == cancelled);
    let progress = if progress.is_completed() && was_cancelled {
        cancelled
    } else {
        progress
    };
    start::set_progress(tx, &run, progress, at)
}
