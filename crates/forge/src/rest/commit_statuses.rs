use axum::extract::{Path, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use baton_host::git::Oid;
use serde_json::{Value, json};

use super::check_runs::readable;
use super::payload::Payload;
use super::{Paging, repositories, users};
use crate::actions::checks::statuses::{self, Statement};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::view::View;
use crate::store::check_state::StatusState;
use crate::store::commit_statuses::{self as rows, CommitStatus};
use crate::store::repositories::Repository;
use crate::store::rollup;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/statuses/{sha}", post(create))
        .route("/repos/{owner}/{repo}/commits/{ref}/statuses", get(all))
        .route("/repos/{owner}/{repo}/commits/{ref}/status", get(combined))
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, sha)): Path<(String, String, String)>,
    mut payload: Payload,
) -> Result<(StatusCode, HeaderMap, Json<Value>), ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let state = payload.required_word("state", StatusState::ALL, StatusState::as_str);
    let statement = Statement {
        state: state.unwrap_or(StatusState::Pending),
        context: payload.text("context"),
        description: payload.text("description"),
        target_url: payload.text("target_url"),
    };
    payload.finish()?;
    let status = statuses::create(&app, &caller, repository.clone(), &sha, statement).await?;
    app.show(|view| {
        let mut headers = HeaderMap::new();
        let address = api_url(view, &repository, &status.sha);
        if let Ok(address) = HeaderValue::from_str(&address) {
            headers.insert(LOCATION, address);
        }
        let body = full(view, &repository, &status);
        Ok((StatusCode::CREATED, headers, Json(body)))
    })
}

async fn all(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, reference)): Path<(String, String, String)>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let sha = find(&app, &repository, &reference).await?;
    let found =
        app.read(|connection| Ok(rows::of_commit(connection, repository.id, sha.as_str())?))?;
    app.show(|view| Ok(paging.answer_all(found, |status| full(view, &repository, &status))))
}

async fn combined(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, reference)): Path<(String, String, String)>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let sha = find(&app, &repository, &reference).await?;
    let found = app.read(|connection| {
        Ok(rows::latest_of_commit(
            connection,
            repository.id,
            sha.as_str(),
        )?)
    })?;
    let total = found.len();
    let state = match rollup::combined(found.iter().map(|status| status.state)) {
        Some(StatusState::Success) => "success",
        Some(StatusState::Error | StatusState::Failure) => "failure",
        Some(StatusState::Pending) | None => "pending",
    };
    app.show(|view| {
        let commit = view.api(&repository, &format!("/commits/{sha}"));
        let shown = paging.of(found);
        let statuses = shown.iter().map(|status| simple(view, &repository, status));
        let body = json!({
            "state": state,
            "statuses": statuses.collect::<Vec<_>>(),
            "sha": sha.as_str(),
            "total_count": total,
            "repository": repositories::minimal(view, &repository, None)?,
            "commit_url": commit,
            "url": format!("{commit}/status"),
        });
        Ok(paging.wrap(body, total))
    })
}

/// Unlike checks, statuses of nothing are not found.
async fn find(app: &App, repository: &Repository, reference: &str) -> Result<Oid, ApiError> {
    let found = app.git(repository).resolve_commit(reference).await?;
    found.ok_or(ApiError::NotFound)
}

/// `status` in GitHub's description.
pub(crate) fn full(view: View<'_>, repository: &Repository, status: &CommitStatus) -> Value {
    let mut body = simple(view, repository, status);
    let creator = status.creator.as_ref();
    body["creator"] = creator.map_or(Value::Null, |creator| users::simple(view.urls, creator));
    body
}

fn simple(view: View<'_>, repository: &Repository, status: &CommitStatus) -> Value {
    let avatar = status
        .creator
        .as_ref()
        .map(|creator| view.urls.page(&format!("/avatars/{}", creator.login)));
    json!({
        "url": api_url(view, repository, &status.sha),
        "avatar_url": avatar,
        "id": status.id,
        "node_id": node_id(Kind::StatusContext, status.id),
        "state": status.state.as_str(),
        "description": status.description,
        "target_url": status.target_url,
        "context": status.context,
        "created_at": status.created_at,
        "updated_at": status.created_at,
    })
}

fn api_url(view: View<'_>, repository: &Repository, sha: &str) -> String {
    view.api(repository, &format!("/statuses/{sha}"))
}
