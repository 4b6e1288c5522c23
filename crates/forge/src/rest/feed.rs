//! What only Actions itself can do at GitHub, for CI systems that report to
//! this forge. All need a token that may write.
//!
//! - `POST /_forge/repos/OWNER/REPO/actions/runs` starts a run:
//!   `{"workflow": "CI", "path": ".github/workflows/ci.yml", "head_sha": …,
//!   "head_branch": …, "event": "push", "display_title": …, "actor": …,
//!   "jobs": [{"name": …, "labels": […], "runner_name": …}]}`; `workflow` and
//!   `head_sha` are required.
//! - `PATCH …/actions/runs/ID` ends one that never had a job:
//!   `{"conclusion": "startup_failure"}`.
//! - `POST …/actions/runs/ID/jobs` adds a job: `{"name": …}`.
//! - `PATCH …/actions/jobs/ID` says how far it is: `{"status": "completed",
//!   "conclusion": "failure", "started_at": …, "completed_at": …,
//!   "runner_name": …, "steps": [{"number": 1, "name": …, "status": …,
//!   "conclusion": …, "started_at": …, "completed_at": …}], "annotations": […]}`;
//!   a run ends with its last job.
//! - `POST …/actions/jobs/ID/logs?step=1` adds the body, plain text, to the
//!   log of a step that is known.
//! - `POST …/actions/runs/ID/artifacts?name=NAME` keeps the body as an
//!   artifact: as it is where its type is `application/zip`, otherwise as the
//!   one file `&file=FILE` in it.

use std::io::{self, Seek as _, SeekFrom, Write as _};

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{patch, post};
use axum::{Json, Router};
use http_body_util::BodyExt as _;
use serde::Deserialize;
use serde_json::Value;
use tempfile::NamedTempFile;
use tokio::task;

use super::check_runs::{read_annotations, readable};
use super::payload::Payload;
use super::{artifacts, workflow_jobs, workflow_runs};
use crate::actions::workflows::feed::{self, FedRun};
use crate::actions::workflows::jobs::{Change, NewJob};
use crate::actions::workflows::{artifacts as artifact_actions, run_of};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::run_files::single_file_archive;
use crate::store::check_state::{CheckStatus, Conclusion, Progress};
use crate::store::repositories::{Permission, Repository};
use crate::store::workflow_jobs::Job;
use crate::store::workflow_runs::WorkflowRun;
use crate::store::workflow_steps::Step;

/// In one request; a log may be longer.
const LARGEST_PIECE_OF_LOG: usize = 16 * 1024 * 1024;

const LARGEST_ARTIFACT: u64 = 1024 * 1024 * 1024;

const ACTIONS: &str = "/_forge/repos/{owner}/{repo}/actions";

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route(&format!("{ACTIONS}/runs"), post(create_run))
        .route(&format!("{ACTIONS}/runs/{{id}}"), patch(end_run))
        .route(&format!("{ACTIONS}/runs/{{id}}/jobs"), post(add_job))
        .route(&format!("{ACTIONS}/jobs/{{id}}"), patch(change_job))
        .route(
            &format!("{ACTIONS}/jobs/{{id}}/logs"),
            post(append_log).layer(DefaultBodyLimit::max(LARGEST_PIECE_OF_LOG)),
        )
        .route(
            &format!("{ACTIONS}/runs/{{id}}/artifacts"),
            post(keep_artifact),
        )
}

type Created = (StatusCode, Json<Value>);

async fn create_run(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo)): Path<(String, String)>,
    mut payload: Payload,
) -> Result<Created, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let workflow_name = payload.required_text("workflow");
    let mut jobs = Vec::new();
    for mut item in payload.objects("jobs").unwrap_or_default() {
        jobs.push(read_job(&mut item));
        payload.absorb(item);
    }
    let fed = FedRun {
        workflow_path: payload
            .text("path")
            .unwrap_or_else(|| ".github/workflows/ci.yml".to_owned()),
        workflow_name,
        head_sha: payload.required_text("head_sha"),
        head_branch: payload.text("head_branch"),
        event: payload.text("event").unwrap_or_else(|| "push".to_owned()),
        display_title: payload.text("display_title"),
        actor: payload.text("actor"),
        jobs,
    };
    payload.finish()?;
    let run = feed::create_run(&app, &caller, repository.clone(), fed).await?;
    let body = workflow_runs::full(&app, &repository, &run).await?;
    Ok((StatusCode::CREATED, Json(body)))
}

async fn end_run(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    mut payload: Payload,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let conclusion = payload.required_word("conclusion", Conclusion::ALL, Conclusion::as_str);
    payload.finish()?;
    let conclusion = conclusion.unwrap_or(Conclusion::Failure);
    let run = feed::end_run(&app, &caller, repository.clone(), id, conclusion).await?;
    let body = workflow_runs::full(&app, &repository, &run).await?;
    Ok(Json(body))
}

async fn add_job(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    mut payload: Payload,
) -> Result<Created, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let new = read_job(&mut payload);
    payload.finish()?;
    let (run, job) = feed::add_job(&app, &caller, repository.clone(), id, new).await?;
    let body = job_body(&app, &repository, &run, &job)?;
    Ok((StatusCode::CREATED, Json(body)))
}

async fn change_job(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    mut payload: Payload,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let mut steps = Vec::new();
    for mut item in payload.objects("steps").unwrap_or_default() {
        steps.push(Step {
            number: item.required_integer("number"),
            name: item.required_text("name"),
            progress: read_progress(&mut item).unwrap_or(Progress::QUEUED),
            started_at: item.time("started_at"),
            completed_at: item.time("completed_at"),
        });
        payload.absorb(item);
    }
    let change = Change {
        progress: read_progress(&mut payload),
        started_at: payload.time("started_at"),
        completed_at: payload.time("completed_at"),
        runner_name: payload.text("runner_name"),
        steps,
        annotations: read_annotations(&mut payload),
    };
    payload.finish()?;
    let (run, job) = feed::change_job(&app, &caller, repository.clone(), id, change).await?;
    Ok(Json(job_body(&app, &repository, &run, &job)?))
}

#[derive(Deserialize)]
struct LogQuery {
    step: i64,
}

async fn append_log(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    Query(query): Query<LogQuery>,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let text = String::from_utf8_lossy(&body).into_owned();
    feed::append_log(&app, &caller, &repository, id, query.step, text).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct ArtifactQuery {
    name: String,
    file: Option<String>,
}

async fn keep_artifact(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    Query(query): Query<ArtifactQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Created, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    app.read(|connection| {
        caller.check(connection, &repository, Permission::Write)?;
        run_of(connection, &repository, id)
    })?;
    let is_zip = headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value == "application/zip");
    let file = query.file.unwrap_or_else(|| query.name.clone());
    let received = receive(&app, repository.id, body).await?;
    let zip = if is_zip {
        received
    } else {
        pack(&app, repository.id, file, received).await?
    };
    let artifact = artifact_actions::keep(&app, repository.id, id, query.name, zip).await?;
    let body = artifacts::full(&app, &repository, &artifact);
    Ok((StatusCode::CREATED, Json(body)))
}

async fn receive(app: &App, repository_id: i64, mut body: Body) -> Result<NamedTempFile, ApiError> {
    let mut file = artifact_actions::draft(app, repository_id).map_err(|error| not_kept(&error))?;
    let mut size = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| ApiError::Refused {
            status: StatusCode::BAD_REQUEST,
            message: "The body ended early".to_owned(),
        })?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        size += data.len() as u64;
        if size > LARGEST_ARTIFACT {
            return Err(ApiError::Refused {
                status: StatusCode::PAYLOAD_TOO_LARGE,
                message: "The artifact is too large".to_owned(),
            });
        }
        file.write_all(&data).map_err(|error| not_kept(&error))?;
    }
    Ok(file)
}

async fn pack(
    app: &App,
    repository_id: i64,
    name: String,
    mut content: NamedTempFile,
) -> Result<NamedTempFile, ApiError> {
    let app = app.clone();
    let packed = task::spawn_blocking(move || -> io::Result<NamedTempFile> {
        content.as_file_mut().seek(SeekFrom::Start(0))?;
        let mut zip = artifact_actions::draft(&app, repository_id)?;
        single_file_archive(zip.as_file_mut(), &name, content.as_file_mut())?;
        Ok(zip)
    })
    .await;
    packed
        .map_err(|_| ApiError::internal("the thread that packs artifacts ended early"))?
        .map_err(|error| not_kept(&error))
}

fn not_kept(error: &io::Error) -> ApiError {
    ApiError::internal(format!("an artifact could not be written: {error}"))
}

fn read_job(payload: &mut Payload) -> NewJob {
    NewJob {
        name: payload.required_text("name"),
        labels: payload.texts("labels").unwrap_or_default(),
        runner_name: payload.text("runner_name"),
        order: None,
    }
}

/// A conclusion completes, whatever the status.
fn read_progress(payload: &mut Payload) -> Option<Progress> {
    let status = payload.word("status", CheckStatus::ALL, CheckStatus::as_str);
    if status == Some(CheckStatus::Completed) {
        let conclusion = payload.required_word("conclusion", Conclusion::ALL, Conclusion::as_str);
        return conclusion.map(Progress::Completed);
    }
    payload
        .word("conclusion", Conclusion::ALL, Conclusion::as_str)
        .map(Progress::Completed)
        .or(status.map(Progress::Unfinished))
}

fn job_body(
    app: &App,
    repository: &Repository,
    run: &WorkflowRun,
    job: &Job,
) -> Result<Value, ApiError> {
    app.show(|view| workflow_jobs::full(view, repository, run, job))
}
