//! The built-in runner: executes the checks of pushed commits.
//!
//! Events say what was pushed; [`plan`] makes runs with queued jobs of them,
//! exactly once. Workers take the jobs, oldest first. Everything they need is
//! in the database, so whatever was under way when the forge died is executed
//! again when it is back.

mod checks_file;
mod claim;
mod commands;
mod environment;
mod execution;
mod log_file;
mod notes;
mod output;
pub(crate) mod plan;
mod report;
pub(crate) mod trigger;
mod workspace;

use std::time::Duration;

use baton_host::sandbox::remove_layers;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::claim::Claimed;
use crate::app::App;
use crate::error::{ApiError, Result};

/// Between two tries where the database or the disk says no.
const PAUSE_AFTER_TROUBLE: Duration = Duration::from_secs(1);

/// Until `stop`: then jobs under way are ended and put back into the queue.
pub(crate) async fn run(app: App, stop: CancellationToken) {
    if let Err(error) = recover(&app).await {
        tracing::error!(?error, "the runner could not tidy up after its last run");
    }
    let mut tasks = JoinSet::new();
    tasks.spawn(keep_planning(app.clone(), stop.clone()));
    for number in 1..=app.settings().runner.workers {
        tasks.spawn(work(app.clone(), number, stop.clone()));
    }
    while let Some(ended) = tasks.join_next().await {
        if let Err(error) = ended {
            tracing::error!(%error, "a part of the runner ended early");
        }
    }
}

/// Nothing is executed yet, so whatever seems to be is left over.
async fn recover(app: &App) -> Result<()> {
    claim::recover_abandoned(app).await?;
    remove_layers(&app.run_files().workspaces())
        .map_err(|error| ApiError::internal(format!("old working trees stay: {error}")))
}

async fn keep_planning(app: App, stop: CancellationToken) {
    let mut written = app.written();
    loop {
        let planned = plan::catch_up(&app).await;
        if let Err(error) = &planned {
            tracing::error!(?error, "the runner could not look for something to run");
        }
        let pause = if planned.is_err() {
            PAUSE_AFTER_TROUBLE
        } else {
            Duration::MAX
        };
        tokio::select! {
            () = stop.cancelled() => return,
            changed = written.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(pause) => {}
        }
    }
}

async fn work(app: App, number: usize, stop: CancellationToken) {
    let name = format!("forge-{number}");
    let mut written = app.written();
    while !stop.is_cancelled() {
        let pause = match claim::next(&app, &name).await {
            Ok(Some(claimed)) => {
                execute(&app, claimed, &stop).await;
                continue;
            }
            Ok(None) => Duration::MAX,
            Err(error) => {
                tracing::error!(?error, "the runner could not take a job");
                PAUSE_AFTER_TROUBLE
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            changed = written.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// In a task of its own: a mistake in the runner must not end a worker, nor
/// leave a job that never ends.
async fn execute(app: &App, claimed: Claimed, stop: &CancellationToken) {
    let (run_id, job_id) = (claimed.run.id, claimed.job.id);
    let task = tokio::spawn(execution::execute(app.clone(), claimed, stop.clone()));
    let Err(error) = task.await else {
        return;
    };
    tracing::error!(%error, job_id, "a job could not be executed to its end");
    if let Err(error) = claim::give_up(app, run_id, job_id).await {
        tracing::error!(?error, job_id, "the end of a job could not be saved");
    }
}
