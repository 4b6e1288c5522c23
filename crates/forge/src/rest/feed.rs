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

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use http_body_util::BodyExt as _;
use serde::Deserialize;
use tempfile::NamedTempFile;
use tokio::task;

use super::checks::read_annotations;
use super::payload::Payload;
use super::prelude::*;
use crate::actions::workflows::feed::{self, FedRun};
use crate::actions::workflows::jobs::{JobUpdate, NewJob};
use crate::actions::workflows::{artifacts as artifact_actions, run_of};
use crate::auth::Caller;
use crate::run_files::single_file_archive;
use crate::store::check_state::{CheckStatus, Conclusion, Progress};
use crate::store::workflow_steps::Step;
use crate::views::workflows;

/// In one request; a log may be longer.
const MAX_LOG_PIECE_LEN: usize = 16 * 1024 * 1024;

const MAX_ARTIFACT_LEN: u64 = 1024 * 1024 * 1024;

const ACTIONS: &str = "/_forge/repos/{owner}/{repo}/actions";

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route(&format!("{ACTIONS}/runs"), post(create_run))
        .route(&format!("{ACTIONS}/runs/{{id}}"), patch(end_run))
        .route(&format!("{ACTIONS}/runs/{{id}}/jobs"), post(add_job))
        .route(&format!("{ACTIONS}/jobs/{{id}}"), patch(change_job))
        .route(
            &format!("{ACTIONS}/jobs/{{id}}/logs"),
            post(append_log).layer(DefaultBodyLimit::max(MAX_LOG_PIECE_LEN)),
        )
        .route(
            &format!("{ACTIONS}/runs/{{id}}/artifacts"),
            post(keep_artifact),
        )
}

async fn create_run(call: Call) -> Answer {
    let mut input = call.payload()?;
    let workflow_name = input.required_text("workflow");
    let mut jobs = Vec::new();
    for mut item in input.objects("jobs").unwrap_or_default() {
        jobs.push(read_job(&mut item));
        input.absorb(item);
    }
    let path = input.text("path");
    let fed = FedRun {
        workflow_path: path.unwrap_or_else(|| ".github/workflows/ci.yml".to_owned()),
        workflow_name,
        head_sha: input.required_text("head_sha"),
        head_branch: input.text("head_branch"),
        event: input.text("event").unwrap_or_else(|| "push".to_owned()),
        display_title: input.text("display_title"),
        actor: input.text("actor"),
        jobs,
    };
    input.finish()?;
    let repository = call.repository(Permission::Read)?;
    let run = feed::create_run(call.on(&repository), fed).await?;
    created(workflows::run(&call.app, &repository, &run).await?)
}

async fn end_run(call: Call) -> Answer {
    let mut input = call.payload()?;
    let conclusion = input.required_word("conclusion", Conclusion::ALL, Conclusion::as_str);
    input.finish()?;
    let conclusion = conclusion.unwrap_or(Conclusion::Failure);
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    let run = feed::end_run(call.on(&repository), id, conclusion).await?;
    ok(workflows::run(&call.app, &repository, &run).await?)
}

async fn add_job(call: Call) -> Answer {
    let mut input = call.payload()?;
    let new = read_job(&mut input);
    input.finish()?;
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    let (run, job) = feed::add_job(call.on(&repository), id, new).await?;
    call.show_new(|view| workflows::job(view, &repository, &run, &job))
}

async fn change_job(call: Call) -> Answer {
    let mut input = call.payload()?;
    let mut steps = Vec::new();
    for mut item in input.objects("steps").unwrap_or_default() {
        steps.push(Step {
            number: item.required_integer("number"),
            name: item.required_text("name"),
            progress: read_progress(&mut item).unwrap_or(Progress::QUEUED),
            started_at: item.time("started_at"),
            completed_at: item.time("completed_at"),
        });
        input.absorb(item);
    }
    let change = JobUpdate {
        progress: read_progress(&mut input),
        started_at: input.time("started_at"),
        completed_at: input.time("completed_at"),
        runner_name: input.text("runner_name"),
        steps,
        annotations: read_annotations(&mut input),
    };
    input.finish()?;
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    let (run, job) = feed::change_job(call.on(&repository), id, change).await?;
    call.show(|view| workflows::job(view, &repository, &run, &job))
}

async fn append_log(call: Call) -> Answer {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    let step = call.get("step").and_then(|step| step.parse().ok());
    let missing = || ApiError::refused(StatusCode::BAD_REQUEST, "`step` is a number");
    let step = step.ok_or_else(missing)?;
    let text = String::from_utf8_lossy(&call.body).into_owned();
    feed::append_log(call.on(&repository), id, step, text).await?;
    no_content()
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
) -> Answer {
    let repository = app.read(|conn| {
        let repository = caller.repository(conn, &owner, &repo, Permission::Write)?;
        run_of(conn, &repository, id)?;
        Ok(repository)
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
    created(workflows::artifact(&app, &repository, &artifact))
}

async fn receive(app: &App, repository_id: i64, mut body: Body) -> Result<NamedTempFile> {
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
        if size > MAX_ARTIFACT_LEN {
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
) -> Result<NamedTempFile> {
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
