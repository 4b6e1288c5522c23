//! Starting a workflow run.

use crate::actions::checks::suites;
use crate::actions::prelude::*;
use crate::store::apps::ACTIONS_APP;
use crate::store::check_state::Progress;
use crate::store::check_suites::{self, NewCheckSuite};
use crate::store::workflow_runs::{self, NewWorkflowRun, WorkflowRun};

/// A run to be.
#[derive(Debug, Clone)]
pub(crate) struct NewRun<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) workflow_id: i64,
    pub(crate) head: Head<'a>,
    pub(crate) event: &'a str,
    pub(crate) display_title: &'a str,
    pub(crate) actor_id: Option<i64>,
    /// Whether the built-in runner is to execute it.
    pub(crate) built_in: bool,
}

/// What is to be checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head<'a> {
    pub(crate) repository_id: i64,
    pub(crate) sha: &'a str,
    pub(crate) branch: Option<&'a str>,
    /// Where the branch stood before.
    pub(crate) before: Option<&'a str>,
}

/// The run is queued and has no jobs yet.
pub(crate) fn start(tx: &Transaction<'_>, new: &NewRun<'_>, at: &str) -> Result<WorkflowRun> {
    let suite_id = check_suites::create(
        tx,
        &NewCheckSuite {
            repository_id: new.repository.id,
            app_id: ACTIONS_APP,
            head_branch: new.head.branch,
            head_sha: new.head.sha,
            before_sha: new.head.before,
            at,
        },
    )?;
    let id = workflow_runs::create(
        tx,
        &NewWorkflowRun {
            workflow_id: new.workflow_id,
            suite_id,
            display_title: new.display_title,
            event: new.event,
            head_repository_id: new.head.repository_id,
            actor_id: new.actor_id,
            built_in: new.built_in,
            at,
        },
    )?;
    let run = workflow_runs::by_id(tx, id)?.ok_or(ApiError::NotFound)?;
    change_of(tx, &run, at).event("check_suite", "requested", suite_id, None)?;
    record(tx, &run, "requested", at)?;
    Ok(run)
}

/// Says how far a run is; its suite is as far. Only for runs without jobs to
/// follow.
pub(crate) fn set_progress(
    tx: &Transaction<'_>,
    run: &WorkflowRun,
    progress: Progress,
    at: &str,
) -> Result<()> {
    workflow_runs::set_progress(tx, run.id, progress, at)?;
    suites::set_progress(change_of(tx, run, at), run.suite_id, progress)?;
    if progress == run.attempt.progress {
        return Ok(());
    }
    match progress {
        Progress::Completed(_) => record(tx, run, "completed", at),
        Progress::IN_PROGRESS => record(tx, run, "in_progress", at),
        Progress::Unfinished(_) => Ok(()),
    }
}

pub(super) fn record(
    tx: &Transaction<'_>,
    run: &WorkflowRun,
    action: &str,
    at: &str,
) -> Result<()> {
    let data = Some(json!({ "attempt": run.latest_attempt }));
    change_of(tx, run, at).event("workflow_run", action, run.id, data)
}

/// A change of a run, in the name of the user who started it.
pub(super) fn change_of<'a>(tx: &'a Transaction<'a>, run: &WorkflowRun, at: &'a str) -> Change<'a> {
    Change {
        tx,
        repository_id: run.repository_id,
        actor_id: run.actor.as_ref().map(|actor| actor.id),
        at,
    }
}
