use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::deployments::{self as actions, NewDeployment, Report};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::input::Input;
use crate::rest::view::View;
use crate::rest::{Paging, users};
use crate::store::deployments::{self, Deployment, DeploymentState, DeploymentStatus, Filter};
use crate::store::repositories::{Permission, Repository};

pub(crate) fn routes() -> Router<App> {
    const ALL: &str = "/repos/{owner}/{repo}/deployments";
    Router::new()
        .route(ALL, get(list).post(create))
        .route(&format!("{ALL}/{{deployment}}"), get(one).delete(remove))
        .route(
            &format!("{ALL}/{{deployment}}/statuses"),
            get(statuses).post(report),
        )
        .route(
            &format!("{ALL}/{{deployment}}/statuses/{{status}}"),
            get(one_status),
        )
}

/// `deployment` in GitHub's description.
pub(crate) fn deployment(view: View<'_>, repository: &Repository, found: &Deployment) -> Value {
    let api = view.api(repository, &format!("/deployments/{}", found.id));
    json!({
        "url": api,
        "id": found.id,
        "node_id": node_id(Kind::Deployment, found.id),
        "sha": found.sha,
        "ref": found.ref_name,
        "task": found.task,
        "payload": found.payload,
        "original_environment": found.environment,
        "environment": found.environment,
        "description": found.description,
        "creator": users::simple(view.urls, &found.creator),
        "created_at": found.created_at,
        "updated_at": found.updated_at,
        "statuses_url": format!("{api}/statuses"),
        "repository_url": view.api(repository, ""),
        "transient_environment": found.transient_environment,
        "production_environment": found.production_environment,
        "performed_via_github_app": null,
    })
}

/// `deployment-status`.
pub(crate) fn status(view: View<'_>, repository: &Repository, found: &DeploymentStatus) -> Value {
    let deployment = view.api(repository, &format!("/deployments/{}", found.deployment_id));
    json!({
        "url": format!("{deployment}/statuses/{}", found.id),
        "id": found.id,
        "node_id": node_id(Kind::Deployment, found.id),
        "state": found.state.as_str(),
        "creator": users::simple(view.urls, &found.creator),
        "description": found.description,
        "environment": found.environment,
        "target_url": found.log_url,
        "created_at": found.created_at,
        "updated_at": found.created_at,
        "deployment_url": deployment,
        "repository_url": view.api(repository, ""),
        "environment_url": found.environment_url,
        "log_url": found.log_url,
        "performed_via_github_app": null,
    })
}

/// The address of one deployment.
type DeploymentPath = Path<(String, String, i64)>;

fn find(
    app: &App,
    caller: &Caller,
    path: &(String, String, i64),
) -> Result<(Repository, Deployment), ApiError> {
    let (owner, name, id) = path;
    app.read(|connection| {
        let repository = caller.repository(connection, owner, name, Permission::Read)?;
        let found = deployments::by_id(connection, repository.id, *id)?;
        Ok((repository, found.ok_or(ApiError::NotFound)?))
    })
}

#[derive(Deserialize)]
struct CreateInput {
    #[serde(rename = "ref")]
    ref_name: Option<String>,
    task: Option<String>,
    payload: Option<Value>,
    environment: Option<String>,
    description: Option<String>,
    transient_environment: Option<bool>,
    production_environment: Option<bool>,
    required_contexts: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct StatusInput {
    state: Option<String>,
    target_url: Option<String>,
    log_url: Option<String>,
    description: Option<String>,
    environment: Option<String>,
    environment_url: Option<String>,
    auto_inactive: Option<bool>,
}

async fn list(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    // GitHub takes "none" for any.
    let value = |key: &str| query.get(key).filter(|value| *value != "none").cloned();
    let filter = Filter {
        sha: value("sha"),
        ref_name: value("ref"),
        task: value("task"),
        environment: value("environment"),
    };
    app.show(|view| {
        let connection = view.connection;
        let repository = caller.repository(connection, &owner, &name, Permission::Read)?;
        let all = deployments::list(connection, repository.id, &filter)?;
        Ok(paging.answer_all(all, |found| deployment(view, &repository, &found)))
    })
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Input(input): Input<CreateInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = app.read(|connection| {
        caller.repository_to_change(connection, &owner, &name, Permission::Write)
    })?;
    let ref_name = input
        .ref_name
        .ok_or_else(|| ApiError::invalid("Deployment", "ref", "missing_field", None))?;
    let environment = input.environment.unwrap_or_else(|| "production".to_owned());
    let new = NewDeployment {
        ref_name,
        task: input.task.unwrap_or_else(|| "deploy".to_owned()),
        payload: input.payload.unwrap_or_else(|| json!({})),
        production_environment: input
            .production_environment
            .unwrap_or(environment == "production"),
        environment,
        description: input.description,
        transient_environment: input.transient_environment.unwrap_or(false),
        required_contexts: input.required_contexts,
    };
    let made = actions::create(&app, &caller, &repository, new).await?;
    let body = app.show(|view| Ok(deployment(view, &repository, &made)))?;
    Ok((StatusCode::CREATED, Json(body)))
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path(path): DeploymentPath,
) -> Result<Json<Value>, ApiError> {
    let (repository, found) = find(&app, &caller, &path)?;
    Ok(Json(
        app.show(|view| Ok(deployment(view, &repository, &found)))?,
    ))
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(path): DeploymentPath,
) -> Result<StatusCode, ApiError> {
    let (repository, found) = find(&app, &caller, &path)?;
    actions::delete(&app, &caller, &repository, &found).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn statuses(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): DeploymentPath,
) -> Result<Response, ApiError> {
    let (repository, found) = find(&app, &caller, &path)?;
    app.show(|view| {
        let all = deployments::statuses(view.connection, found.id)?;
        Ok(paging.answer_all(all, |found| status(view, &repository, &found)))
    })
}

async fn one_status(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, deployment, id)): Path<(String, String, i64, i64)>,
) -> Result<Json<Value>, ApiError> {
    let (repository, found) = find(&app, &caller, &(owner, name, deployment))?;
    app.show(|view| {
        let all = deployments::statuses(view.connection, found.id)?;
        let found = all.iter().find(|found| found.id == id);
        let found = found.ok_or(ApiError::NotFound)?;
        Ok(Json(status(view, &repository, found)))
    })
}

async fn report(
    State(app): State<App>,
    caller: Caller,
    Path(path): DeploymentPath,
    Input(input): Input<StatusInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (repository, found) = find(&app, &caller, &path)?;
    let invalid = |code| ApiError::invalid("DeploymentStatus", "state", code, None);
    let state = input.state.ok_or_else(|| invalid("missing_field"))?;
    let report = Report {
        state: DeploymentState::parse(&state).ok_or_else(|| invalid("custom"))?,
        description: input.description.unwrap_or_default(),
        environment: input.environment,
        environment_url: input.environment_url.unwrap_or_default(),
        log_url: input.log_url.or(input.target_url).unwrap_or_default(),
        auto_inactive: input.auto_inactive.unwrap_or(true),
    };
    let made = actions::report(&app, &caller, &repository, &found, report).await?;
    let body = app.show(|view| Ok(status(view, &repository, &made)))?;
    Ok((StatusCode::CREATED, Json(body)))
}
