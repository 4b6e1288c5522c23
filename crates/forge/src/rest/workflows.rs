use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post, put};
use axum::{Json, Router};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::Paging;
use super::check_runs::readable;
use super::payload::Payload;
use crate::actions::workflows::dispatch;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::view::View;
use crate::store::repositories::{Permission, Repository};
use crate::store::workflows::{self as rows, Workflow, WorkflowState};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/actions/workflows", get(all))
        .route("/repos/{owner}/{repo}/actions/workflows/{id}", get(one))
        .route(
            "/repos/{owner}/{repo}/actions/workflows/{id}/disable",
            put(disable),
        )
        .route(
            "/repos/{owner}/{repo}/actions/workflows/{id}/dispatches",
            post(dispatch_run),
        )
        .route(
            "/repos/{owner}/{repo}/actions/workflows/{id}/enable",
            put(enable),
        )
}

async fn all(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo)): Path<(String, String)>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let found = app.read(|connection| Ok(rows::of_repository(connection, repository.id)?))?;
    let total = found.len();
    app.show(|view| {
        let shown = paging.of(found);
        let bodies = shown
            .iter()
            .map(|workflow| full(view, &repository, workflow));
        let bodies: Vec<Value> = bodies.collect();
        let body = json!({ "total_count": total, "workflows": bodies });
        Ok(paging.wrap(body, total))
    })
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, String)>,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    app.show(|view| {
        let workflow = named(view.connection, &repository, &id)?;
        Ok(Json(full(view, &repository, &workflow)))
    })
}

async fn enable(
    State(app): State<App>,
    caller: Caller,
    Path(path): Path<(String, String, String)>,
) -> Result<StatusCode, ApiError> {
    set_state(&app, caller, path, WorkflowState::Active).await
}

async fn disable(
    State(app): State<App>,
    caller: Caller,
    Path(path): Path<(String, String, String)>,
) -> Result<StatusCode, ApiError> {
    set_state(&app, caller, path, WorkflowState::DisabledManually).await
}

async fn set_state(
    app: &App,
    caller: Caller,
    (owner, repo, id): (String, String, String),
    state: WorkflowState,
) -> Result<StatusCode, ApiError> {
    let repository = readable(app, &caller, &owner, &repo)?;
    let at = app.now();
    app.write(move |transaction| {
        caller.check(transaction, &repository, Permission::Write)?;
        let workflow = named(transaction, &repository, &id)?;
        Ok(rows::set_state(transaction, workflow.id, state, &at)?)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn dispatch_run(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, String)>,
    mut payload: Payload,
) -> Result<StatusCode, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let reference = payload.required_text("ref");
    payload.finish()?;
    let workflow = app.read(|connection| named(connection, &repository, &id))?;
    dispatch::start(&app, &caller, repository, workflow, &reference).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// By its number or the name of its file.
pub(super) fn named(
    connection: &Connection,
    repository: &Repository,
    id: &str,
) -> Result<Workflow, ApiError> {
    rows::of_repository(connection, repository.id)?
        .into_iter()
        .find(|workflow| workflow.id.to_string() == id || workflow.file_name() == id)
        .ok_or(ApiError::NotFound)
}

/// `workflow` in GitHub's description.
pub(crate) fn full(view: View<'_>, repository: &Repository, workflow: &Workflow) -> Value {
    let branch = &repository.default_branch;
    json!({
        "id": workflow.id,
        "node_id": node_id(Kind::Workflow, workflow.id),
        "name": workflow.name,
        "path": workflow.path,
        "state": workflow.state.as_str(),
        "created_at": workflow.created_at,
        "updated_at": workflow.updated_at,
        "url": api_url(view, repository, workflow.id),
        "html_url": view.page(repository, &format!("/blob/{branch}/{}", workflow.path)),
        "badge_url": view.page(
            repository,
            &format!("/actions/workflows/{}/badge.svg", workflow.file_name()),
        ),
    })
}

pub(crate) fn api_url(view: View<'_>, repository: &Repository, id: i64) -> String {
    view.api(repository, &format!("/actions/workflows/{id}"))
}
