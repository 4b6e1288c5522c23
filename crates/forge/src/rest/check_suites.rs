use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::check_runs::readable;
use super::payload::Payload;
use super::{Paging, apps, head_commit, pull_references, repositories};
use crate::actions::checks::suites;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::view::View;
use crate::store::apps as app_rows;
use crate::store::check_runs as run_rows;
use crate::store::check_state::Conclusion;
use crate::store::check_suites::{self as rows, CheckSuite, SuiteFilter};
use crate::store::repositories::Repository;

pub(super) use crate::actions::checks::suites::of_repository;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/check-suites", post(create))
        .route("/repos/{owner}/{repo}/check-suites/{id}", get(one))
        .route(
            "/repos/{owner}/{repo}/check-suites/{id}/rerequest",
            post(rerequest),
        )
        .route(
            "/repos/{owner}/{repo}/commits/{ref}/check-suites",
            get(of_commit),
        )
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo)): Path<(String, String)>,
    mut payload: Payload,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let head_sha = payload.required_text("head_sha");
    payload.finish()?;
    let (suite, created) = suites::create(&app, &caller, repository.clone(), &head_sha).await?;
    let status = if created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, Json(full(&app, &repository, &suite).await?)))
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let suite = app.read(|connection| of_repository(connection, &repository, id))?;
    Ok(Json(full(&app, &repository, &suite).await?))
}

async fn rerequest(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    suites::rerequest(&app, &caller, repository, id).await?;
    Ok((StatusCode::CREATED, Json(json!({}))))
}

#[derive(Deserialize)]
struct ListQuery {
    app_id: Option<i64>,
    check_name: Option<String>,
}

async fn of_commit(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, reference)): Path<(String, String, String)>,
    Query(query): Query<ListQuery>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let sha = head_commit::find(&app, &repository, &reference).await?;
    let filter = SuiteFilter {
        app_id: query.app_id,
        check_name: query.check_name.as_deref(),
    };
    let found = app.read(|connection| {
        Ok(rows::of_commit(
            connection,
            repository.id,
            sha.as_str(),
            filter,
        )?)
    })?;
    let total = found.len();
    let mut bodies = Vec::new();
    for suite in paging.of(found) {
        bodies.push(full(&app, &repository, &suite).await?);
    }
    let body = json!({ "total_count": total, "check_suites": bodies });
    Ok(paging.wrap(body, total))
}

/// `check-suite` in GitHub's description.
pub(crate) async fn full(
    app: &App,
    repository: &Repository,
    suite: &CheckSuite,
) -> Result<Value, ApiError> {
    let commit = head_commit::simple(app, repository, &suite.head_sha).await?;
    app.show(|view| {
        let reporter = app_rows::by_id(view.connection, suite.app_id)?;
        let api = api_url(view, repository, suite.id);
        let progress = suite.progress;
        Ok(json!({
            "id": suite.id,
            "node_id": node_id(Kind::CheckSuite, suite.id),
            "head_branch": suite.head_branch,
            "head_sha": suite.head_sha,
            "status": progress.status().as_str(),
            "conclusion": progress.conclusion().map(Conclusion::as_str),
            "url": api,
            "before": suite.before_sha,
            "after": suite.head_sha,
            "pull_requests": pull_references::of_commit(view, repository, &suite.head_sha)?,
            "app": apps::full(view.urls, &reporter),
            "repository": repositories::minimal(view, repository, None)?,
            "created_at": suite.created_at,
            "updated_at": suite.updated_at,
            "rerequestable": true,
            "runs_rerequestable": true,
            "head_commit": commit,
            "latest_check_runs_count": run_rows::latest_count(view.connection, suite.id)?,
            "check_runs_url": format!("{api}/check-runs"),
        }))
    })
}

pub(crate) fn api_url(view: View<'_>, repository: &Repository, id: i64) -> String {
    view.api(repository, &format!("/check-suites/{id}"))
}
