use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use baton_host::git::Oid;
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::git::{EntryKind, GitRepository, TreeEntry};
use crate::rest::commits::open;
use crate::rest::media::Media;
use crate::store::repositories::Repository;

use super::entry;

/// Above this, GitHub gives no content but in raw form.
const LARGEST_SHOWN: usize = 1024 * 1024;

/// Base64 has a line break after so many characters.
const LINE: usize = 60;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/contents", get(root))
        .route("/repos/{owner}/{repo}/contents/", get(root))
        .route("/repos/{owner}/{repo}/readme", get(readme))
}

/// One repository at one commit.
struct Place {
    repository: Repository,
    git: GitRepository,
    /// As the caller named it.
    revision: String,
    commit: Oid,
}

async fn place(
    app: &App,
    caller: &Caller,
    (owner, name): (&str, &str),
    query: &HashMap<String, String>,
) -> Result<Place, ApiError> {
    let (repository, git) = open(app, caller, owner, name)?;
    let revision = query.get("ref").filter(|name| !name.is_empty());
    let revision = revision.unwrap_or(&repository.default_branch).clone();
    match git.resolve_commit(&revision).await? {
        Some(commit) => Ok(Place {
            repository,
            git,
            revision,
            commit,
        }),
        None if query.contains_key("ref") => Err(ApiError::Refused {
            status: StatusCode::NOT_FOUND,
            message: format!("No commit found for the ref {revision}"),
        }),
        None => Err(ApiError::Refused {
            status: StatusCode::NOT_FOUND,
            message: "This repository is empty.".to_owned(),
        }),
    }
}

async fn root(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    let place = place(&app, &caller, (&owner, &name), &query).await?;
    let commit = place.commit.clone();
    folder(&app, &place, &commit, "").await
}

pub(super) async fn at_path(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, path)): Path<(String, String, String)>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let place = place(&app, &caller, (&owner, &name), &query).await?;
    let path = path.trim_matches('/');
    let found = place.git.entry(&place.commit, path).await?;
    let found = found.ok_or(ApiError::NotFound)?;
    match found.kind {
        EntryKind::File => file(&app, &place, &found, &headers).await,
        EntryKind::Folder => folder(&app, &place, &found.oid, path).await,
        EntryKind::Submodule => {
            let body = app.show(|view| {
                let mut body = entry(view, &place.repository, &place.revision, &found);
                body["submodule_git_url"] = Value::Null;
                Ok(body)
            })?;
            Ok(Json(body).into_response())
        }
    }
}

/// The file that GitHub shows below the list of files.
async fn readme(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let place = place(&app, &caller, (&owner, &name), &query).await?;
    for folder in [".github", "", "docs"] {
        if let Some(found) = readme_in(&place, folder).await? {
            return file(&app, &place, &found, &headers).await;
        }
    }
    Err(ApiError::NotFound)
}

async fn readme_in(place: &Place, folder: &str) -> Result<Option<TreeEntry>, ApiError> {
    let tree = match folder {
        "" => Some(place.commit.clone()),
        _ => {
            let found = place.git.entry(&place.commit, folder).await?;
            found
                .filter(|found| found.kind == EntryKind::Folder)
                .map(|found| found.oid)
        }
    };
    let Some(tree) = tree else {
        return Ok(None);
    };
    let entries = place.git.tree(&tree, false).await?.unwrap_or_default();
    let readme = entries.into_iter().find(|found| {
        let name = found.path.to_ascii_lowercase();
        found.kind == EntryKind::File && (name == "readme" || name.starts_with("readme."))
    });
    Ok(readme.map(|mut found| {
        if !folder.is_empty() {
            found.path = format!("{folder}/{}", found.path);
        }
        found
    }))
}

async fn folder(app: &App, place: &Place, tree: &Oid, path: &str) -> Result<Response, ApiError> {
    let entries = place.git.tree(tree, false).await?;
    let entries = entries.ok_or(ApiError::NotFound)?;
    let body: Value = app.show(|view| {
        Ok(entries
            .into_iter()
            .map(|mut found| {
                if !path.is_empty() {
                    found.path = format!("{path}/{}", found.path);
                }
                entry(view, &place.repository, &place.revision, &found)
            })
            .collect())
    })?;
    Ok(Json(body).into_response())
}

async fn file(
    app: &App,
    place: &Place,
    found: &TreeEntry,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let content = place.git.blob(&found.oid).await?;
    let content = content.ok_or(ApiError::NotFound)?;
    if Media::of(headers) == Media::Raw {
        return Ok(([(CONTENT_TYPE, Media::Raw.content_type())], content).into_response());
    }
    let body = app.show(|view| {
        let mut body = entry(view, &place.repository, &place.revision, found);
        if found.is_symlink() {
            body["target"] = json!(String::from_utf8_lossy(&content));
            return Ok(body);
        }
        let (text, encoding) = if content.len() > LARGEST_SHOWN {
            (String::new(), "none")
        } else {
            (in_lines(&STANDARD.encode(&content)), "base64")
        };
        body["content"] = json!(text);
        body["encoding"] = json!(encoding);
        Ok(body)
    })?;
    Ok(Json(body).into_response())
}

/// Each line ends with a line break, the last one, too.
fn in_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / LINE + 1);
    for line in text.as_bytes().chunks(LINE) {
        lines.push_str(&String::from_utf8_lossy(line));
        lines.push('\n');
    }
    lines
}
