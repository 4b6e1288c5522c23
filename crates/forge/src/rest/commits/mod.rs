mod body;
mod compare;

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use baton_host::git::Oid;
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::git::{Commit, FileDiff, GitRepository, HistoryRange};
use crate::rest::Paging;
use crate::rest::media::Media;
use crate::store::repositories::{Permission, Repository};

pub(crate) use body::{commit, file, git_commit, person, verification};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/commits", get(list))
        .route("/repos/{owner}/{repo}/commits/{ref}", get(one))
        .route(
            "/repos/{owner}/{repo}/commits/{ref}/branches-where-head",
            get(branches_where_head),
        )
        .merge(compare::routes())
}

/// The repository and its git, when the caller may read it.
pub(crate) fn open(
    app: &App,
    caller: &Caller,
    owner: &str,
    name: &str,
) -> Result<(Repository, GitRepository), ApiError> {
    let repository =
        app.read(|connection| caller.repository(connection, owner, name, Permission::Read))?;
    let git = app.git(&repository);
    Ok((repository, git))
}

/// The commit that a caller names: by id, branch or tag.
pub(crate) async fn find(git: &GitRepository, name: &str) -> Result<Oid, ApiError> {
    let found = git.resolve_commit(name).await?;
    found.ok_or_else(|| ApiError::Refused {
        status: StatusCode::UNPROCESSABLE_ENTITY,
        message: format!("No commit found for SHA: {name}"),
    })
}

/// Nothing has been pushed yet.
pub(crate) fn empty_repository() -> ApiError {
    ApiError::Refused {
        status: StatusCode::CONFLICT,
        message: "Git Repository is empty.".to_owned(),
    }
}

/// A commit's changes: against its first parent.
pub(crate) async fn changes(
    git: &GitRepository,
    commit: &Commit,
) -> Result<Vec<FileDiff>, ApiError> {
    let before = base(git, commit).await?;
    Ok(git.diff(&before, &commit.oid).await?)
}

async fn base(git: &GitRepository, commit: &Commit) -> Result<Oid, ApiError> {
    match commit.parents.first() {
        Some(parent) => Ok(parent.clone()),
        None => Ok(git.empty_tree().await?),
    }
}

async fn list(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let get = |key: &str| query.get(key).map(String::as_str);
    let start = get("sha").unwrap_or(&repository.default_branch);
    let Some(head) = git.resolve_commit(start).await? else {
        if git.refs(&["refs/heads"]).await?.is_empty() {
            return Err(empty_repository());
        }
        return Err(ApiError::NotFound);
    };
    let range = HistoryRange {
        path: get("path").filter(|path| !path.is_empty()),
        author: get("author"),
        since: get("since"),
        until: get("until"),
        skip: paging.offset(),
        limit: Some(paging.limit()),
        ..HistoryRange::of(&head)
    };
    let oids = git.history(&range).await?;
    let total = git.count_history(&range).await?;
    let commits = git.commits(&oids).await?;
    let items = show(&app, &repository, &commits)?;
    Ok(paging.answer(items, total))
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, revision)): Path<(String, String, String)>,
    paging: Paging,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let oid = find(&git, &revision).await?;
    let found = git.commit(&oid).await?.ok_or(ApiError::NotFound)?;
    let media = Media::of(&headers);
    let text = match media {
        Media::Sha => oid.to_string().into_bytes(),
        Media::Diff => git.diff_text(&base(&git, &found).await?, &oid).await?,
        Media::Patch => git.mail_patch(&oid).await?,
        Media::Json | Media::Raw => {
            let files = changes(&git, &found).await?;
            let body = app.show(|view| {
                let mut body = commit(view, &repository, &found)?;
                body["stats"] = stats(&files);
                let shown = paging.files(&files).iter();
                body["files"] = shown
                    .map(|changed| file(view, &repository, oid.as_str(), changed))
                    .collect();
                Ok(body)
            })?;
            return Ok(Json(body).into_response());
        }
    };
    Ok(([(CONTENT_TYPE, media.content_type())], text).into_response())
}

async fn branches_where_head(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, sha)): Path<(String, String, String)>,
) -> Result<Json<Value>, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let oid = find(&git, &sha).await?;
    let branches = git.refs(&["refs/heads"]).await?;
    let heads = branches.iter().filter(|found| found.oid == oid);
    app.show(|view| {
        let shown = heads.map(|found| {
            json!({
                "name": found.name.trim_start_matches("refs/heads/"),
                "commit": {
                    "sha": oid.as_str(),
                    "url": view.api(&repository, &format!("/commits/{oid}")),
                },
                "protected": false,
            })
        });
        Ok(Json(shown.collect()))
    })
}

fn show(
    app: &App,
    repository: &Repository,
    commits: &[Arc<Commit>],
) -> Result<Vec<Value>, ApiError> {
    app.show(|view| {
        commits
            .iter()
            .map(|found| commit(view, repository, found))
            .collect()
    })
}

pub(crate) fn stats(files: &[FileDiff]) -> Value {
    let additions: u64 = files.iter().map(|file| file.additions).sum();
    let deletions: u64 = files.iter().map(|file| file.deletions).sum();
    json!({"total": additions + deletions, "additions": additions, "deletions": deletions})
}
