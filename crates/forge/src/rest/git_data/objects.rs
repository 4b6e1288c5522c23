use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use baton_host::git::Oid;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, FieldError};
use crate::git::{EntryKind, GitRepository, NewCommit, Person, TreeChange, TreeEntry, names};
use crate::node_id::{Kind, named_node_id};
use crate::rest::commits::{git_commit, open};
use crate::rest::contents::decode;
use crate::rest::input::Input;
use crate::rest::media::Media;
use crate::rest::view::View;
use crate::store::repositories::{Permission, Repository};
use crate::store::users::User;

/// GitHub lists no more entries of a tree than these.
const MOST_ENTRIES: usize = 100_000;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/git/commits", post(create_commit))
        .route("/repos/{owner}/{repo}/git/commits/{sha}", get(commit))
        .route("/repos/{owner}/{repo}/git/trees", post(create_tree))
        .route("/repos/{owner}/{repo}/git/trees/{sha}", get(tree))
        .route("/repos/{owner}/{repo}/git/blobs", post(create_blob))
        .route("/repos/{owner}/{repo}/git/blobs/{sha}", get(blob))
        .route("/repos/{owner}/{repo}/git/tags/{sha}", get(tag))
}

/// Who made a commit, as a request says it.
#[derive(Debug, Deserialize)]
pub(crate) struct PersonInput {
    name: Option<String>,
    email: Option<String>,
    date: Option<String>,
}

impl PersonInput {
    /// Filled up from whoever asks.
    pub(crate) fn or_user(given: Option<&Self>, user: &User, now: &str) -> Person {
        let own = Person::of_user(user, now);
        let given = |part: fn(&Self) -> &Option<String>| given.and_then(|one| part(one).clone());
        Person {
            name: given(|one| &one.name).unwrap_or(own.name),
            email: given(|one| &one.email).unwrap_or(own.email),
            date: given(|one| &one.date).unwrap_or(own.date),
        }
    }
}

#[derive(Deserialize)]
struct CommitInput {
    message: Option<String>,
    tree: Option<String>,
    #[serde(default)]
    parents: Vec<String>,
    author: Option<PersonInput>,
    committer: Option<PersonInput>,
}

#[derive(Deserialize)]
struct TreeInput {
    base_tree: Option<String>,
    #[serde(default)]
    tree: Vec<EntryInput>,
}

#[derive(Deserialize)]
struct EntryInput {
    path: String,
    mode: Option<String>,
    sha: Option<String>,
    content: Option<String>,
}

#[derive(Deserialize)]
struct BlobInput {
    content: Option<String>,
    encoding: Option<String>,
}

async fn commit(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, sha)): Path<(String, String, String)>,
) -> Result<Json<Value>, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let oid = Oid::parse(&sha).ok_or(ApiError::NotFound)?;
    let found = git.commit(&oid).await?.ok_or(ApiError::NotFound)?;
    app.show(|view| Ok(Json(git_commit(view, &repository, &found))))
}

async fn create_commit(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Input(input): Input<CommitInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (repository, git) = open_to_change(&app, &caller, &owner, &name)?;
    let message = input.message.filter(|text| !text.is_empty());
    let message = message.ok_or_else(|| missing("Commit", "message"))?;
    let tree = existing(
        &git,
        input.tree.as_deref(),
        "tree",
        "Tree SHA does not exist",
    )
    .await?;
    let mut parents = Vec::new();
    for parent in &input.parents {
        let parent = Some(parent.as_str());
        parents.push(
            existing(
                &git,
                parent,
                "commit",
                "Parent SHA does not exist or is not a commit object",
            )
            .await?,
        );
    }
    let (user, now) = (caller.user()?, app.now());
    let author = PersonInput::or_user(input.author.as_ref(), user, &now);
    let committer = match &input.committer {
        Some(given) => PersonInput::or_user(Some(given), user, &now),
        None => author.clone(),
    };
    let new = NewCommit {
        tree: &tree,
        parents: &parents,
        author: &author,
        committer: &committer,
        message: &message,
    };
    let oid = git.write_commit(&new).await?;
    let made = git.commit(&oid).await?.ok_or(ApiError::NotFound)?;
    let body = app.show(|view| Ok(git_commit(view, &repository, &made)))?;
    Ok((StatusCode::CREATED, Json(body)))
}

async fn tree(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, sha)): Path<(String, String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Json<Value>, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let found = git.resolve(&sha).await?.ok_or(ApiError::NotFound)?;
    let root = git.tree_of(&found).await?.ok_or(ApiError::NotFound)?;
    // Any value means yes, as GitHub documents it.
    let recursive = query.contains_key("recursive");
    show_tree(&app, &repository, &git, &root, recursive).await
}

async fn create_tree(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Input(input): Input<TreeInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (repository, git) = open_to_change(&app, &caller, &owner, &name)?;
    let base = match &input.base_tree {
        Some(base) => {
            let found = git.resolve(base).await?;
            let missing =
                || ApiError::Unprocessable("base_tree is not a valid tree oid".to_owned());
            let found = found.ok_or_else(missing)?;
            Some(git.tree_of(&found).await?.ok_or_else(missing)?)
        }
        None => None,
    };
    let mut changes = Vec::new();
    for entry in input.tree {
        changes.push(tree_change(&git, entry).await?);
    }
    let made = git.edit_tree(base.as_ref(), &changes).await?;
    let body = show_tree(&app, &repository, &git, &made, false).await?;
    Ok((StatusCode::CREATED, body))
}

async fn tree_change(git: &GitRepository, entry: EntryInput) -> Result<TreeChange, ApiError> {
    let invalid = |message: &str| ApiError::Unprocessable(message.to_owned());
    if !names::is_tree_path(&entry.path) {
        return Err(invalid("tree.path contains a malformed path component"));
    }
    let mode = entry.mode.unwrap_or_else(|| "100644".to_owned());
    if !["100644", "100755", "040000", "160000", "120000"].contains(&mode.as_str()) {
        return Err(invalid("Must supply a valid tree.mode"));
    }
    let oid = match (entry.sha, entry.content) {
        (Some(sha), _) => {
            let oid = Oid::parse(&sha).ok_or_else(|| invalid("tree.sha is not a valid oid"))?;
            if mode != "160000" && !git.has(&oid).await? {
                return Err(invalid(&format!("tree.sha {oid} is not a valid blob")));
            }
            Some(oid)
        }
        (None, Some(content)) => Some(git.write_blob(content.into_bytes()).await?),
        (None, None) => None,
    };
    Ok(TreeChange {
        path: entry.path,
        entry: oid.map(|oid| (mode, oid)),
    })
}

async fn show_tree(
    app: &App,
    repository: &Repository,
    git: &GitRepository,
    root: &Oid,
    recursive: bool,
) -> Result<Json<Value>, ApiError> {
    let entries = git.tree(root, recursive).await?.ok_or(ApiError::NotFound)?;
    app.show(|view| {
        let shown = entries.iter().take(MOST_ENTRIES);
        Ok(Json(json!({
            "sha": root.as_str(),
            "url": view.api(repository, &format!("/git/trees/{root}")),
            "tree": shown
                .map(|entry| tree_entry(view, repository, entry))
                .collect::<Vec<_>>(),
            "truncated": entries.len() > MOST_ENTRIES,
        })))
    })
}

fn tree_entry(view: View<'_>, repository: &Repository, entry: &TreeEntry) -> Value {
    let mut body = json!({
        "path": entry.path,
        "mode": entry.mode,
        "type": entry.kind.as_str(),
        "sha": entry.oid.as_str(),
    });
    if let Some(size) = entry.size {
        body["size"] = json!(size);
    }
    let folder = match entry.kind {
        EntryKind::File => "blobs",
        EntryKind::Folder => "trees",
        EntryKind::Submodule => return body,
    };
    body["url"] = json!(view.api(repository, &format!("/git/{folder}/{}", entry.oid)));
    body
}

async fn blob(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, sha)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let oid = Oid::parse(&sha).ok_or(ApiError::NotFound)?;
    let content = git.blob(&oid).await?.ok_or(ApiError::NotFound)?;
    if Media::of(&headers) == Media::Raw {
        return Ok(([(CONTENT_TYPE, Media::Raw.content_type())], content).into_response());
    }
    app.show(|view| {
        Ok(Json(json!({
            "sha": oid.as_str(),
            "node_id": named_node_id(Kind::Blob, repository.id, oid.as_str()),
            "size": content.len(),
            "url": view.api(&repository, &format!("/git/blobs/{oid}")),
            "content": STANDARD.encode(&content),
            "encoding": "base64",
        }))
        .into_response())
    })
}

async fn create_blob(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Input(input): Input<BlobInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (repository, git) = open_to_change(&app, &caller, &owner, &name)?;
    let content = input.content.ok_or_else(|| missing("Blob", "content"))?;
    let content = match input.encoding.as_deref() {
        Some("base64") => decode(&content)?,
        _ => content.into_bytes(),
    };
    let oid = git.write_blob(content).await?;
    let body = app.show(|view| {
        Ok(json!({
            "url": view.api(&repository, &format!("/git/blobs/{oid}")),
            "sha": oid.as_str(),
        }))
    })?;
    Ok((StatusCode::CREATED, Json(body)))
}

/// An annotated one.
async fn tag(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, sha)): Path<(String, String, String)>,
) -> Result<Json<Value>, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let oid = Oid::parse(&sha).ok_or(ApiError::NotFound)?;
    let found = git.tag(&oid).await?.ok_or(ApiError::NotFound)?;
    app.show(|view| {
        let target = &found.target;
        Ok(Json(json!({
            "node_id": named_node_id(Kind::Tag, repository.id, oid.as_str()),
            "tag": found.name,
            "sha": oid.as_str(),
            "url": view.api(&repository, &format!("/git/tags/{oid}")),
            "message": found.message,
            "tagger": crate::rest::commits::person(&found.tagger),
            "object": {
                "type": found.target_kind,
                "sha": target.as_str(),
                "url": view.api(&repository, &format!("/git/{}s/{target}", found.target_kind)),
            },
            "verification": {
                "verified": false,
                "reason": "unsigned",
                "signature": null,
                "payload": null,
                "verified_at": null,
            },
        })))
    })
}

async fn existing(
    git: &GitRepository,
    sha: Option<&str>,
    kind: &str,
    complaint: &str,
) -> Result<Oid, ApiError> {
    let oid = sha.and_then(Oid::parse);
    if let Some(oid) = oid
        && git.kind(&oid).await?.as_deref() == Some(kind)
    {
        return Ok(oid);
    }
    Err(ApiError::Unprocessable(complaint.to_owned()))
}

fn open_to_change(
    app: &App,
    caller: &Caller,
    owner: &str,
    name: &str,
) -> Result<(Repository, GitRepository), ApiError> {
    let repository = app.read(|connection| {
        caller.repository_to_change(connection, owner, name, Permission::Write)
    })?;
    let git = app.git(&repository);
    Ok((repository, git))
}

fn missing(resource: &'static str, field: &'static str) -> ApiError {
    ApiError::Invalid(vec![FieldError::missing(resource, field)])
}
