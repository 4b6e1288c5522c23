mod body;
mod list;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::check_runs::readable;
use super::downloads::{self, Download};
use crate::actions::workflows::cancel::{self, Urgency};
use crate::actions::workflows::{Which, approve, delete, rerun, run_of};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::store::repositories::{Permission, Repository};
use crate::store::workflow_runs::{self as rows, WorkflowRun};

pub(crate) use body::{api_url, full, page_url};

const RUN: &str = "/repos/{owner}/{repo}/actions/runs/{id}";

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route(
            "/repos/{owner}/{repo}/actions/runs",
            get(list::of_repository),
        )
        .route(
            "/repos/{owner}/{repo}/actions/workflows/{id}/runs",
            get(list::of_workflow),
        )
        .route(RUN, get(one).delete(remove))
        .route(&format!("{RUN}/approve"), post(approve_run))
        .route(&format!("{RUN}/attempts/{{attempt}}"), get(attempt))
        .route(
            &format!("{RUN}/attempts/{{attempt}}/logs"),
            get(attempt_logs),
        )
        .route(&format!("{RUN}/cancel"), post(cancel_run))
        .route(&format!("{RUN}/force-cancel"), post(force_cancel))
        .route(&format!("{RUN}/logs"), get(logs).delete(remove_logs))
        .route(&format!("{RUN}/rerun"), post(rerun_all))
        .route(&format!("{RUN}/rerun-failed-jobs"), post(rerun_failed))
        .route(&format!("{RUN}/timing"), get(timing))
}

type RunPath = Path<(String, String, i64)>;

#[derive(Deserialize)]
struct OneQuery {
    #[serde(default)]
    exclude_pull_requests: bool,
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
    Query(query): Query<OneQuery>,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = app.read(|connection| run_of(connection, &repository, id))?;
    show(&app, &repository, &run, &query).await
}

async fn attempt(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id, number)): Path<(String, String, i64, i64)>,
    Query(query): Query<OneQuery>,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = attempt_of(&app, &repository, id, number)?;
    show(&app, &repository, &run, &query).await
}

async fn show(
    app: &App,
    repository: &Repository,
    run: &WorkflowRun,
    query: &OneQuery,
) -> Result<Json<Value>, ApiError> {
    let mut body = full(app, repository, run).await?;
    if query.exclude_pull_requests {
        body["pull_requests"] = json!([]);
    }
    Ok(Json(body))
}

pub(super) fn attempt_of(
    app: &App,
    repository: &Repository,
    id: i64,
    number: i64,
) -> Result<WorkflowRun, ApiError> {
    app.read(|connection| {
        run_of(connection, repository, id)?;
        rows::by_attempt(connection, id, number)?.ok_or(ApiError::NotFound)
    })
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
) -> Result<StatusCode, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    delete::run(&app, &caller, repository, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn remove_logs(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
) -> Result<StatusCode, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    delete::logs(&app, &caller, repository, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn logs(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = app.read(|connection| run_of(connection, &repository, id))?;
    redirect_to_logs(&app, &caller, &run)
}

async fn attempt_logs(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id, number)): Path<(String, String, i64, i64)>,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = attempt_of(&app, &repository, id, number)?;
    redirect_to_logs(&app, &caller, &run)
}

fn redirect_to_logs(app: &App, caller: &Caller, run: &WorkflowRun) -> Result<Response, ApiError> {
    // Everybody may read a public repository, but only users its logs.
    caller.user()?;
    if run.logs_deleted {
        return Err(ApiError::Refused {
            status: StatusCode::GONE,
            message: "Server Error".to_owned(),
        });
    }
    let download = Download::RunLogs {
        run_id: run.id,
        attempt: run.attempt.number,
    };
    Ok(downloads::redirect(app, download))
}

async fn rerun_all(
    State(app): State<App>,
    caller: Caller,
    Path(path): RunPath,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    start_again(&app, caller, path, Which::All).await
}

async fn rerun_failed(
    State(app): State<App>,
    caller: Caller,
    Path(path): RunPath,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    start_again(&app, caller, path, Which::Failed).await
}

async fn start_again(
    app: &App,
    caller: Caller,
    (owner, repo, id): (String, String, i64),
    which: Which,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = readable(app, &caller, &owner, &repo)?;
    let at = app.now();
    app.write(move |transaction| {
        caller.check(transaction, &repository, Permission::Write)?;
        let run = run_of(transaction, &repository, id)?;
        rerun::start(transaction, &run, which, caller.user()?, &at)
    })
    .await?;
    Ok((StatusCode::CREATED, Json(json!({}))))
}

async fn cancel_run(
    State(app): State<App>,
    caller: Caller,
    Path(path): RunPath,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    end(&app, caller, path, Urgency::Orderly).await
}

async fn force_cancel(
    State(app): State<App>,
    caller: Caller,
    Path(path): RunPath,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    end(&app, caller, path, Urgency::AtOnce).await
}

async fn end(
    app: &App,
    caller: Caller,
    (owner, repo, id): (String, String, i64),
    urgency: Urgency,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = readable(app, &caller, &owner, &repo)?;
    let at = app.now();
    app.write(move |transaction| {
        caller.check(transaction, &repository, Permission::Write)?;
        let run = run_of(transaction, &repository, id)?;
        cancel::cancel(transaction, &run, urgency, &at)
    })
    .await?;
    Ok((StatusCode::ACCEPTED, Json(json!({}))))
}

async fn approve_run(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    approve::approve(&app, &caller, repository, id).await?;
    Ok((StatusCode::CREATED, Json(json!({}))))
}

async fn timing(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = app.read(|connection| run_of(connection, &repository, id))?;
    let time = |text: &str| text.parse::<jiff::Timestamp>().ok();
    let taken = time(&run.attempt.updated_at)
        .zip(time(&run.attempt.started_at))
        .map(|(end, start)| end.duration_since(start).as_millis());
    let taken = taken.and_then(|millis| i64::try_from(millis).ok());
    Ok(Json(json!({
        "billable": {},
        "run_duration_ms": taken.unwrap_or_default(),
    })))
}
