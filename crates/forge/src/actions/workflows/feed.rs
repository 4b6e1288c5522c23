//! Runs that someone else's CI executes: it says what becomes of them.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};

use jiff::Timestamp;
use tokio::task;

use super::jobs::{self, JobUpdate, NewJob};
use super::start::{self, Head, NewRun};
use super::{job_of, refused, run_of};
use crate::actions::prelude::*;
use crate::run_files::stamped;
use crate::store::check_state::{Conclusion, Progress};
use crate::store::workflow_jobs::{self, Job};
use crate::store::workflow_runs::WorkflowRun;
use crate::store::{users, workflow_steps, workflows};

/// A run that someone else's CI has begun.
#[derive(Debug, Clone)]
pub(crate) struct FedRun {
    pub(crate) workflow_name: String,
    pub(crate) workflow_path: String,
    pub(crate) head_sha: String,
    pub(crate) head_branch: Option<String>,
    pub(crate) event: String,
    pub(crate) display_title: Option<String>,
    /// Anyone who fed it when not given.
    pub(crate) actor: Option<String>,
    pub(crate) jobs: Vec<NewJob>,
}

pub(crate) async fn create_run(cx: RepoContext<'_>, fed: FedRun) -> Result<WorkflowRun> {
    let git = cx.git();
    let commit = match git.resolve_commit(&fed.head_sha).await? {
        Some(oid) => git.commit(&oid).await?,
        None => None,
    };
    let commit = commit.ok_or_else(|| {
        let message = format!("No commit found for SHA: {}", fed.head_sha);
        refused(StatusCode::UNPROCESSABLE_ENTITY, &message)
    })?;
    let user = cx.allowed(Permission::Write)?.clone();
    let repository = cx.repository.clone();
    cx.change(move |change| {
        let (tx, at) = (change.tx, change.at);
        let actor = match &fed.actor {
            Some(login) => users::by_login(tx, login)?
                .ok_or_else(|| ApiError::invalid("WorkflowRun", "actor", "invalid", None))?,
            None => user,
        };
        let (path, name) = (&fed.workflow_path, &fed.workflow_name);
        let workflow = workflows::at_path(tx, repository.id, path, name, at)?;
        let title = fed.display_title.as_deref().unwrap_or(commit.headline());
        let new = NewRun {
            repository: &repository,
            workflow_id: workflow.id,
            head: Head {
                repository_id: repository.id,
                sha: commit.oid.as_str(),
                branch: fed.head_branch.as_deref(),
                before: None,
            },
            event: &fed.event,
            display_title: title,
            actor_id: Some(actor.id),
            built_in: false,
        };
        let run = start::start(tx, &new, at)?;
        for job in &fed.jobs {
            add(tx, &run, job, at)?;
        }
        run_of(tx, &repository, run.id)
    })
    .await
}

/// Ends a run that never had a job.
pub(crate) async fn end_run(
    cx: RepoContext<'_>,
    id: i64,
    conclusion: Conclusion,
) -> Result<WorkflowRun> {
    cx.allowed(Permission::Write)?;
    let repository = cx.repository.clone();
    cx.change(move |change| {
        let tx = change.tx;
        let run = open_run(tx, &repository, id)?;
        if !workflow_jobs::for_run(tx, id)?.is_empty() {
            return Err(refused(
                StatusCode::CONFLICT,
                "A run with jobs ends when they do",
            ));
        }
        let ended = Progress::Completed(conclusion);
        start::set_progress(tx, &run, ended, change.at)?;
        run_of(tx, &repository, id)
    })
    .await
}

pub(crate) async fn add_job(
    cx: RepoContext<'_>,
    run_id: i64,
    job: NewJob,
) -> Result<(WorkflowRun, Job)> {
    cx.allowed(Permission::Write)?;
    let repository = cx.repository.clone();
    cx.change(move |change| {
        let run = open_run(change.tx, &repository, run_id)?;
        let job = add(change.tx, &run, &job, change.at)?;
        Ok((run, job))
    })
    .await
}

fn add(tx: &Transaction<'_>, run: &WorkflowRun, job: &NewJob, at: &str) -> Result<Job> {
    let attempt = workflow_jobs::for_attempt(tx, run.id, run.latest_attempt)?;
    let known = |known: &Job| known.attempt == run.latest_attempt && known.name == job.name;
    if attempt.iter().any(known) {
        return Err(ApiError::invalid("Job", "name", "already_exists", None));
    }
    jobs::add(tx, run, job, at)
}

pub(crate) async fn change_job(
    cx: RepoContext<'_>,
    id: i64,
    update: JobUpdate,
) -> Result<(WorkflowRun, Job)> {
    cx.allowed(Permission::Write)?;
    let repository = cx.repository.clone();
    cx.change(move |change| {
        let (run, job) = job_of(change.tx, &repository, id)?;
        check_is_fed(&run)?;
        if job.attempt != run.latest_attempt {
            return Err(refused(
                StatusCode::CONFLICT,
                "The run has been started again; this job is of an earlier attempt",
            ));
        }
        let job = jobs::change(change.tx, &run, id, &update, change.at)?;
        Ok((run, job))
    })
    .await
}

/// Adds lines to the log of a step.
pub(crate) async fn append_log(
    cx: RepoContext<'_>,
    job_id: i64,
    step: i64,
    text: String,
) -> Result<()> {
    cx.allowed(Permission::Write)?;
    cx.app.read(|conn| {
        let (run, _) = job_of(conn, cx.repository, job_id)?;
        check_is_fed(&run)?;
        let steps = workflow_steps::for_job(conn, job_id)?;
        let known = steps.iter().any(|known| known.number == step);
        known.then_some(()).ok_or(ApiError::NotFound)
    })?;
    let path = cx.app.run_files().step_log(cx.repository.id, job_id, step);
    let written = task::spawn_blocking(move || -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut log = OpenOptions::new().create(true).append(true).open(path)?;
        log.write_all(stamped(&text, Timestamp::now()).as_bytes())
    })
    .await;
    match written {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(ApiError::internal(format!(
            "a log could not be written: {error}"
        ))),
        Err(_) => Err(ApiError::internal(
            "the thread that writes logs ended early",
        )),
    }
}

fn open_run(tx: &Transaction<'_>, repository: &Repository, id: i64) -> Result<WorkflowRun> {
    let run = run_of(tx, repository, id)?;
    check_is_fed(&run)?;
    if run.attempt.progress.is_completed() {
        return Err(refused(StatusCode::CONFLICT, "The run is completed"));
    }
    Ok(run)
}

fn check_is_fed(run: &WorkflowRun) -> Result<()> {
    if run.built_in {
        return Err(refused(
            StatusCode::CONFLICT,
            "The forge itself executes this run",
        ));
    }
    Ok(())
}
