//! Which job a worker executes next, and what becomes of one whose worker is
//! gone.

use rusqlite::Transaction;

use super::{checks_file, notes};
use crate::actions::workflows::jobs::{self, JobUpdate};
use crate::app::App;
use crate::error::{ApiError, Result};
use crate::store::check_annotations::Annotation;
use crate::store::check_state::{AnnotationLevel, Conclusion, Progress};
use crate::store::repositories::{self, Repository};
use crate::store::workflow_jobs::{self, Job, Order};
use crate::store::workflow_runs::{self, WorkflowRun};
use crate::store::workflows::{self, Workflow};

/// A job that took the forge down with it this many times is not tried again.
const MAX_BEGINS: i64 = 3;

/// A job that a worker has taken, with all that is known about it.
pub(super) struct Claimed {
    pub(super) repository: Repository,
    pub(super) workflow: Workflow,
    pub(super) run: WorkflowRun,
    pub(super) job: Job,
    pub(super) order: Order,
}

/// Takes the job that has waited longest.
pub(super) async fn next(app: &App, runner_name: &str) -> Result<Option<Claimed>> {
    let waiting = app.rows(workflow_jobs::next_for_runner)?;
    if waiting.is_none() {
        return Ok(None);
    }
    let (runner_name, at) = (runner_name.to_owned(), app.now());
    app.write(move |tx| take(tx, &runner_name, &at)).await
}

fn take(tx: &Transaction<'_>, runner_name: &str, at: &str) -> Result<Option<Claimed>> {
    let Some(job) = workflow_jobs::next_for_runner(tx)? else {
        return Ok(None);
    };
    let run = workflow_runs::by_id(tx, job.run_id)?.ok_or(ApiError::NotFound)?;
    let repository = repositories::by_id(tx, run.repository_id)?;
    let workflow = workflows::by_id(tx, run.workflow_id)?.ok_or(ApiError::NotFound)?;
    if workflow.path == checks_file::PATH && !repository.pushed_checks {
        skip(tx, &run, &job, &repository, at)?;
        return Ok(None);
    }
    workflow_jobs::count_begin(tx, job.id)?;
    let begun = JobUpdate {
        progress: Some(Progress::IN_PROGRESS),
        runner_name: Some(runner_name.to_owned()),
        ..JobUpdate::default()
    };
    let job = jobs::change(tx, &run, job.id, &begun, at)?;
    let order = job.order.clone().ok_or(ApiError::NotFound)?;
    Ok(Some(Claimed {
        repository,
        workflow,
        run,
        job,
        order,
    }))
}

/// Pushed checks were switched off after the job was planned; or it is to run
/// again, and they were on when it ran first.
fn skip(
    tx: &Transaction<'_>,
    run: &WorkflowRun,
    job: &Job,
    repository: &Repository,
    at: &str,
) -> Result<()> {
    let skipped = JobUpdate {
        progress: Some(Progress::Completed(Conclusion::Skipped)),
        annotations: vec![Annotation {
            level: AnnotationLevel::Notice,
            ..remark(notes::why_switched_off(repository))
        }],
        ..JobUpdate::default()
    };
    jobs::change(tx, run, job.id, &skipped, at).map(drop)
}

/// Gives a job back that is not the worker's fault to have ended.
pub(super) async fn give_back(app: &App, run_id: i64, job_id: i64) -> Result<()> {
    let at = app.now();
    app.write(move |tx| {
        let Some(run) = workflow_runs::by_id(tx, run_id)? else {
            return Ok(());
        };
        workflow_jobs::forget_begins(tx, job_id)?;
        jobs::put_back(tx, &run, job_id, &at)
    })
    .await
}

/// Ends a job that the runner itself failed to execute.
pub(super) async fn give_up(app: &App, run_id: i64, job_id: i64) -> Result<()> {
    let at = app.now();
    app.write(move |tx| {
        let run = workflow_runs::by_id(tx, run_id)?.ok_or(ApiError::NotFound)?;
        let failed = JobUpdate {
            progress: Some(Progress::Completed(Conclusion::Failure)),
            annotations: vec![remark(
                "The runner failed while it executed this job.".to_owned(),
            )],
            ..JobUpdate::default()
        };
        jobs::change(tx, &run, job_id, &failed, &at).map(drop)
    })
    .await
}

/// The forge died while these were executed.
pub(super) async fn recover_abandoned(app: &App) -> Result<()> {
    let at = app.now();
    app.write(move |tx| {
        for job in workflow_jobs::abandoned(tx)? {
            recover(tx, &job, &at)?;
        }
        Ok(())
    })
    .await
}

fn recover(tx: &Transaction<'_>, job: &Job, at: &str) -> Result<()> {
    let run = workflow_runs::by_id(tx, job.run_id)?.ok_or(ApiError::NotFound)?;
    let begins = workflow_jobs::times_begun(tx, job.id)?;
    let end = if run.cancel_requested {
        JobUpdate {
            progress: Some(Progress::Completed(Conclusion::Cancelled)),
            ..JobUpdate::default()
        }
    } else if begins >= MAX_BEGINS {
        let lost = format!(
            "The forge ended {begins} times while it executed this job, which is not tried again."
        );
        JobUpdate {
            progress: Some(Progress::Completed(Conclusion::Failure)),
            annotations: vec![remark(lost)],
            ..JobUpdate::default()
        }
    } else {
        return jobs::put_back(tx, &run, job.id, at);
    };
    jobs::change(tx, &run, job.id, &end, at).map(drop)
}

fn remark(message: String) -> Annotation {
    Annotation {
        path: ".github".to_owned(),
        start_line: 1,
        end_line: 1,
        start_column: None,
        end_column: None,
        level: AnnotationLevel::Failure,
        title: None,
        message,
        raw_details: None,
    }
}
