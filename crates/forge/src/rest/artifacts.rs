use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Paging;
use super::check_runs::readable;
use super::downloads::{self, Download};
use crate::actions::workflows::{artifacts, delete, run_of};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::store::artifacts::{self as rows, Artifact};
use crate::store::repositories::Repository;
use crate::urls::Urls;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/actions/artifacts", get(all))
        .route(
            "/repos/{owner}/{repo}/actions/artifacts/{id}",
            get(one).delete(remove),
        )
        .route(
            "/repos/{owner}/{repo}/actions/artifacts/{id}/{format}",
            get(download),
        )
        .route(
            "/repos/{owner}/{repo}/actions/runs/{id}/artifacts",
            get(of_run),
        )
}

#[derive(Deserialize)]
struct ListQuery {
    name: Option<String>,
    direction: Option<String>,
}

async fn all(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo)): Path<(String, String)>,
    Query(query): Query<ListQuery>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let name = query.name.as_deref();
    let found = app.read(|connection| Ok(rows::of_repository(connection, repository.id, name)?))?;
    Ok(list(&app, &repository, found, &paging))
}

async fn of_run(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    Query(query): Query<ListQuery>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let mut found = app.read(|connection| {
        let run = run_of(connection, &repository, id)?;
        Ok(rows::of_run(connection, run.id, query.name.as_deref())?)
    })?;
    if query.direction.as_deref() == Some("desc") {
        found.reverse();
    }
    Ok(list(&app, &repository, found, &paging))
}

fn list(app: &App, repository: &Repository, found: Vec<Artifact>, paging: &Paging) -> Response {
    let total = found.len();
    let bodies: Vec<Value> = paging
        .of(found)
        .iter()
        .map(|artifact| full(app, repository, artifact))
        .collect();
    paging.wrap(json!({ "total_count": total, "artifacts": bodies }), total)
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let artifact = app.read(|connection| artifacts::of_repository(connection, &repository, id))?;
    Ok(Json(full(&app, &repository, &artifact)))
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<StatusCode, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    delete::artifact(&app, &caller, repository, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn download(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id, format)): Path<(String, String, i64, String)>,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    caller.user()?;
    let artifact = app.read(|connection| artifacts::of_repository(connection, &repository, id))?;
    if format != "zip" {
        return Err(ApiError::NotFound);
    }
    if is_expired(&app, &artifact) {
        return Err(ApiError::Refused {
            status: StatusCode::GONE,
            message: "Artifact has expired".to_owned(),
        });
    }
    let artifact_id = artifact.id;
    Ok(downloads::redirect(
        &app,
        Download::Artifact { artifact_id },
    ))
}

fn is_expired(app: &App, artifact: &Artifact) -> bool {
    artifact.expires_at < app.now()
}

/// `artifact` in GitHub's description.
pub(crate) fn full(app: &App, repository: &Repository, artifact: &Artifact) -> Value {
    let api = api_url(app.urls(), repository, artifact.id);
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

fn api_url(urls: &Urls, repository: &Repository, id: i64) -> String {
    urls.api(&format!(
        "/repos/{}/actions/artifacts/{id}",
        repository.full_name()
    ))
}
