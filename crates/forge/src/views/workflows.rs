//! Workflows, runs, jobs and artifacts as JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{checks, commits, pulls, repositories, users};
use crate::error::ApiError;
use crate::store::artifacts::Artifact;
use crate::store::check_state::{CheckStatus, Conclusion};
use crate::store::repositories as repository_rows;
use crate::store::users::User;
use crate::store::workflow_jobs::Job;
use crate::store::workflow_runs::WorkflowRun;
use crate::store::workflow_steps::{self, Step};
use crate::store::workflows::{self as workflow_rows, Workflow};
use crate::views::prelude::*;

/// `workflow-run` in GitHub's description.
pub(crate) async fn run(app: &App, repository: &Repository, run: &WorkflowRun) -> Result<Value> {
    let commit = commits::simple(app, repository, &run.head_sha).await?;
    app.show(|view| {
        let workflow =
            workflow_rows::by_id(view.conn, run.workflow_id)?.ok_or(ApiError::NotFound)?;
        let head = match run.head_repository_id {
            Some(id) => {
                let head = repository_rows::by_id(view.conn, id)?;
                Some(repositories::minimal(view, &head, None)?)
            }
            None => None,
        };
        let pulls = pulls::for_commit(view, repository, &run.head_sha)?;
        let api = run_url(view, repository, run.id);
        let progress = run.attempt.progress;
        let user = |user: &Option<User>| user.as_ref().map(|user| users::simple(view.urls, user));
        let previous =
            (run.attempt.number > 1).then(|| format!("{api}/attempts/{}", run.attempt.number - 1));
        Ok(json!({
            "id": run.id,
            "name": workflow.name,
            "node_id": node_id(Kind::WorkflowRun, run.id),
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
            "path": workflow.path,
            "display_title": run.display_title,
            "run_number": run.number,
            "event": run.event,
            "status": progress.status().as_str(),
            "conclusion": progress.conclusion().map(Conclusion::as_str),
            "workflow_id": run.workflow_id,
            "check_suite_id": run.suite_id,
            "check_suite_node_id": node_id(Kind::CheckSuite, run.suite_id),
            "url": api,
            "html_url": run_page(view, repository, run.id),
            "pull_requests": pulls,
            "created_at": run.created_at,
            "updated_at": run.attempt.updated_at,
            "actor": user(&run.actor),
            "run_attempt": run.attempt.number,
            "referenced_workflows": [],
            "run_started_at": run.attempt.started_at,
            "triggering_actor": user(&run.attempt.triggering_actor),
            "jobs_url": format!("{api}/jobs"),
            "logs_url": format!("{api}/logs"),
            "check_suite_url": checks::suite_url(view, repository, run.suite_id),
            "artifacts_url": format!("{api}/artifacts"),
            "cancel_url": format!("{api}/cancel"),
            "rerun_url": format!("{api}/rerun"),
            "previous_attempt_url": previous,
            "workflow_url": workflow_url(view, repository, run.workflow_id),
            "head_commit": commit,
            "repository": repositories::minimal(view, repository, None)?,
            "head_repository": head,
        }))
    })
}

pub(crate) fn run_url(view: View<'_>, repository: &Repository, id: i64) -> String {
    view.api(repository, &format!("/actions/runs/{id}"))
}

/// Where people read about it.
fn run_page(view: View<'_>, repository: &Repository, id: i64) -> String {
    view.page(repository, &format!("/actions/runs/{id}"))
}

/// `job` in GitHub's description.
pub(crate) fn job(
    view: View<'_>,
    repository: &Repository,
    run: &WorkflowRun,
    job: &Job,
) -> Result<Value> {
    let workflow = workflow_rows::by_id(view.conn, run.workflow_id)?.ok_or(ApiError::NotFound)?;
    let steps = workflow_steps::for_job(view.conn, job.id)?;
    let api = view.api(repository, &format!("/actions/jobs/{}", job.id));
    let page = run_page(view, repository, run.id);
    let has_runner = job.runner_name.is_some();
    Ok(json!({
        "id": job.id,
        "run_id": run.id,
        "workflow_name": workflow.name,
        "head_branch": run.head_branch,
        "run_url": run_url(view, repository, run.id),
        "run_attempt": job.attempt,
        "node_id": node_id(Kind::CheckRun, job.id),
        "head_sha": run.head_sha,
        "url": api,
        "html_url": format!("{page}/job/{}", job.id),
        "status": job.progress.status().as_str(),
        "conclusion": job.progress.conclusion().map(Conclusion::as_str),
        "created_at": job.created_at,
        "started_at": job.started_at.as_ref().unwrap_or(&job.created_at),
        "completed_at": job.completed_at,
        "name": job.name,
        "steps": steps.iter().map(job_step).collect::<Vec<_>>(),
        "check_run_url": checks::run_url(view, repository, job.id),
        "labels": job.labels,
        "runner_id": has_runner.then_some(1),
        "runner_name": job.runner_name,
        "runner_group_id": has_runner.then_some(1),
        "runner_group_name": has_runner.then_some("Default"),
    }))
}

/// What has not begun is queued, whatever it waits for.
fn job_step(step: &Step) -> Value {
    let mut body = checks::step(step);
    let begun = [CheckStatus::InProgress, CheckStatus::Completed];
    if !begun.contains(&step.progress.status()) {
        body["status"] = json!("queued");
    }
    body
}

/// `workflow` in GitHub's description.
pub(crate) fn workflow(view: View<'_>, repository: &Repository, workflow: &Workflow) -> Value {
    let branch = &repository.default_branch;
    json!({
        "id": workflow.id,
        "node_id": node_id(Kind::Workflow, workflow.id),
        "name": workflow.name,
        "path": workflow.path,
        "state": workflow.state.as_str(),
        "created_at": workflow.created_at,
        "updated_at": workflow.updated_at,
        "url": workflow_url(view, repository, workflow.id),
        "html_url": view.page(repository, &format!("/blob/{branch}/{}", workflow.path)),
        "badge_url": view.page(
            repository,
            &format!("/actions/workflows/{}/badge.svg", workflow.file_name()),
        ),
    })
}

pub(crate) fn workflow_url(view: View<'_>, repository: &Repository, id: i64) -> String {
    view.api(repository, &format!("/actions/workflows/{id}"))
}

pub(crate) fn is_expired(app: &App, artifact: &Artifact) -> bool {
    artifact.expires_at < app.now()
}

/// `artifact` in GitHub's description.
pub(crate) fn artifact(app: &App, repository: &Repository, artifact: &Artifact) -> Value {
    let path = format!("/actions/artifacts/{}", artifact.id);
    let api = app
        .urls()
        .api(&format!("/repos/{}{path}", repository.full_name()));
    json!({
        "id": artifact.id,
        // Artifacts still have ids of GitHub's older kind.
        "node_id": STANDARD.encode(format!("08:Artifact{}", artifact.id)),
        "name": artifact.name,
        "size_in_bytes": artifact.size,
        "url": api,
        "archive_download_url": format!("{api}/zip"),
        "expired": is_expired(app, artifact),
        "digest": format!("sha256:{}", artifact.sha256),
        "created_at": artifact.created_at,
        "updated_at": artifact.created_at,
        "expires_at": artifact.expires_at,
        "workflow_run": {
            "id": artifact.run_id,
            "repository_id": artifact.repository_id,
            "head_repository_id": artifact.head_repository_id.unwrap_or(artifact.repository_id),
            "head_branch": artifact.head_branch.as_deref().unwrap_or_default(),
            "head_sha": artifact.head_sha,
        },
    })
}
