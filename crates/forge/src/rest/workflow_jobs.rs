use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::check_runs::{self, readable};
use super::downloads::{self, Download};
use super::{Paging, workflow_runs};
use crate::actions::workflows::{Which, job_of, rerun, run_of};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::view::View;
use crate::store::check_state::{CheckStatus, Conclusion};
use crate::store::repositories::{Permission, Repository};
use crate::store::workflow_jobs::{self as rows, Job};
use crate::store::workflow_runs::WorkflowRun;
use crate::store::workflow_steps::{self, Step};
use crate::store::workflows as workflow_rows;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/actions/jobs/{id}", get(one))
        .route("/repos/{owner}/{repo}/actions/jobs/{id}/logs", get(logs))
        .route("/repos/{owner}/{repo}/actions/jobs/{id}/rerun", post(again))
        .route(
            "/repos/{owner}/{repo}/actions/runs/{id}/attempts/{attempt}/jobs",
            get(of_attempt),
        )
        .route("/repos/{owner}/{repo}/actions/runs/{id}/jobs", get(of_run))
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    app.show(|view| {
        let (run, job) = job_of(view.connection, &repository, id)?;
        full(view, &repository, &run, &job).map(Json)
    })
}

async fn logs(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    caller.user()?;
    let (run, job) = app.read(|connection| job_of(connection, &repository, id))?;
    if run.logs_deleted {
        return Err(ApiError::Refused {
            status: StatusCode::GONE,
            message: "Server Error".to_owned(),
        });
    }
    Ok(downloads::redirect(
        &app,
        Download::JobLog { job_id: job.id },
    ))
}

async fn again(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let at = app.now();
    app.write(move |transaction| {
        caller.check(transaction, &repository, Permission::Write)?;
        let (run, job) = job_of(transaction, &repository, id)?;
        rerun::start(transaction, &run, Which::One(job.id), caller.user()?, &at)
    })
    .await?;
    Ok((StatusCode::CREATED, Json(json!({}))))
}

#[derive(Deserialize)]
struct ListQuery {
    filter: Option<String>,
}

async fn of_run(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    Query(query): Query<ListQuery>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let (run, found) = app.read(|connection| {
        let run = run_of(connection, &repository, id)?;
        let found = if query.filter.as_deref() == Some("all") {
            rows::of_run(connection, id)?
        } else {
            rows::of_attempt(connection, id, run.latest_attempt)?
        };
        Ok((run, found))
    })?;
    list(&app, &repository, &run, found, &paging)
}

async fn of_attempt(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id, number)): Path<(String, String, i64, i64)>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = workflow_runs::attempt_of(&app, &repository, id, number)?;
    let found = app.read(|connection| Ok(rows::of_attempt(connection, id, number)?))?;
    list(&app, &repository, &run, found, &paging)
}

fn list(
    app: &App,
    repository: &Repository,
    run: &WorkflowRun,
    found: Vec<Job>,
    paging: &Paging,
) -> Result<Response, ApiError> {
    let total = found.len();
    let bodies: Vec<Value> = app.show(|view| {
        let show = |job: &Job| full(view, repository, run, job);
        paging.of(found).iter().map(show).collect()
    })?;
    let body = json!({ "total_count": total, "jobs": bodies });
    Ok(paging.wrap(body, total))
}

/// `job` in GitHub's description.
pub(crate) fn full(
    view: View<'_>,
    repository: &Repository,
    run: &WorkflowRun,
    job: &Job,
) -> Result<Value, ApiError> {
    let workflow =
        workflow_rows::by_id(view.connection, run.workflow_id)?.ok_or(ApiError::NotFound)?;
    let steps = workflow_steps::of_job(view.connection, job.id)?;
    let api = view.api(repository, &format!("/actions/jobs/{}", job.id));
    let page = workflow_runs::page_url(view, repository, run.id);
    let has_runner = job.runner_name.is_some();
    Ok(json!({
        "id": job.id,
        "run_id": run.id,
        "workflow_name": workflow.name,
        "head_branch": run.head_branch,
        "run_url": workflow_runs::api_url(view, repository, run.id),
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
        "steps": steps.iter().map(step_body).collect::<Vec<_>>(),
        "check_run_url": check_runs::api_url(view, repository, job.id),
        "labels": job.labels,
        "runner_id": has_runner.then_some(1),
        "runner_name": job.runner_name,
        "runner_group_id": has_runner.then_some(1),
        "runner_group_name": has_runner.then_some("Default"),
    }))
}

fn step_body(step: &Step) -> Value {
    let status = match step.progress.status() {
        CheckStatus::InProgress => "in_progress",
        CheckStatus::Completed => "completed",
        CheckStatus::Requested
        | CheckStatus::Waiting
        | CheckStatus::Pending
        | CheckStatus::Queued => "queued",
    };
    json!({
        "name": step.name,
        "status": status,
        "conclusion": step.progress.conclusion().map(Conclusion::as_str),
        "number": step.number,
        "started_at": step.started_at,
        "completed_at": step.completed_at,
    })
}
