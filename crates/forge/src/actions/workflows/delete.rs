use axum::http::StatusCode;

use super::{refused, run_of};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::store::artifacts;
use crate::store::repositories::{Permission, Repository};
use crate::store::workflow_jobs;
use crate::store::workflow_runs;

/// Removes a run that has ended, with all that belongs to it.
pub(crate) async fn run(
    app: &App,
    caller: &Caller,
    repository: Repository,
    id: i64,
) -> Result<(), ApiError> {
    let (caller, repository_id) = (caller.clone(), repository.id);
    let (jobs, kept) = app
        .write(move |transaction| {
            caller.check(transaction, &repository, Permission::Write)?;
            let run = run_of(transaction, &repository, id)?;
            if !run.attempt.progress.is_completed() {
                return Err(refused(
                    StatusCode::FORBIDDEN,
                    "Could not delete the workflow run: it is in progress",
                ));
            }
            let jobs = workflow_jobs::of_run(transaction, id)?;
            let kept = artifacts::of_run(transaction, id, None)?;
            workflow_runs::delete(transaction, &run)?;
            Ok((jobs, kept))
        })
        .await?;
    for job in jobs {
        tidy(app.run_files().remove_job_logs(repository_id, job.id));
    }
    for artifact in kept {
        tidy(app.run_files().remove_artifact(repository_id, artifact.id));
    }
    Ok(())
}

/// Removes the logs of all attempts of a run.
pub(crate) async fn logs(
    app: &App,
    caller: &Caller,
    repository: Repository,
    id: i64,
) -> Result<(), ApiError> {
    let (caller, repository_id) = (caller.clone(), repository.id);
    let jobs = app
        .write(move |transaction| {
            caller.check(transaction, &repository, Permission::Write)?;
            let run = run_of(transaction, &repository, id)?;
            workflow_runs::set_logs_deleted(transaction, run.id)?;
            Ok(workflow_jobs::of_run(transaction, id)?)
        })
        .await?;
    for job in jobs {
        tidy(app.run_files().remove_job_logs(repository_id, job.id));
    }
    Ok(())
}

pub(crate) async fn artifact(
    app: &App,
    caller: &Caller,
    repository: Repository,
    id: i64,
) -> Result<(), ApiError> {
    let (caller, repository_id) = (caller.clone(), repository.id);
    app.write(move |transaction| {
        caller.check(transaction, &repository, Permission::Write)?;
        super::artifacts::of_repository(transaction, &repository, id)?;
        Ok(artifacts::delete(transaction, id)?)
    })
    .await?;
    tidy(app.run_files().remove_artifact(repository_id, id));
    Ok(())
}

/// The facts are gone; a file that stays is rubbish and harms nobody.
fn tidy(removed: std::io::Result<()>) {
    if let Err(error) = removed {
        tracing::warn!(%error, "a file of a deleted run could not be removed");
    }
}
