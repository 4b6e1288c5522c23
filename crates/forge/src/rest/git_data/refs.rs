use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, patch, post};
use axum::{Json, Router};
use baton_host::git::Oid;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::pushes;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::git::{Ref, RefChange, names};
use crate::node_id::{Kind, named_node_id};
use crate::rest::Paging;
use crate::rest::commits::{empty_repository, open};
use crate::rest::input::Input;
use crate::rest::view::View;
use crate::store::repositories::{Permission, Repository};
use crate::urls::encoded_path;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/git/ref/{*ref}", get(one))
        .route(
            "/repos/{owner}/{repo}/git/matching-refs/{*ref}",
            get(matching),
        )
        .route("/repos/{owner}/{repo}/git/matching-refs/", get(all))
        .route("/repos/{owner}/{repo}/git/refs", post(create).get(all))
        .route(
            "/repos/{owner}/{repo}/git/refs/{*ref}",
            patch(update).delete(remove).get(matching),
        )
}

fn git_ref(view: View<'_>, repository: &Repository, found: &Ref) -> Value {
    let folder = if found.kind == "tag" {
        "tags"
    } else {
        "commits"
    };
    json!({
        "ref": found.name,
        "node_id": named_node_id(Kind::Ref, repository.id, &found.name),
        "url": view.api(repository, &format!("/git/{}", encoded_path(&found.name))),
        "object": {
            "sha": found.oid.as_str(),
            "type": found.kind,
            "url": view.api(repository, &format!("/git/{folder}/{}", found.oid)),
        },
    })
}

#[derive(Deserialize)]
struct CreateInput {
    r#ref: Option<String>,
    sha: Option<String>,
}

#[derive(Deserialize)]
struct UpdateInput {
    sha: Option<String>,
    #[serde(default)]
    force: bool,
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, ref_name)): Path<(String, String, String)>,
) -> Result<Json<Value>, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let found = git.find_ref(&format!("refs/{ref_name}")).await?;
    let found = found.ok_or(ApiError::NotFound)?;
    app.show(|view| Ok(Json(git_ref(view, &repository, &found))))
}

async fn all(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    list(&app, &caller, &paging, (&owner, &name), "refs/").await
}

/// Everything that begins so, in the middle of a name as well.
async fn matching(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name, start)): Path<(String, String, String)>,
) -> Result<Response, ApiError> {
    let start = format!("refs/{start}");
    list(&app, &caller, &paging, (&owner, &name), &start).await
}

async fn list(
    app: &App,
    caller: &Caller,
    paging: &Paging,
    (owner, name): (&str, &str),
    start: &str,
) -> Result<Response, ApiError> {
    let (repository, git) = open(app, caller, owner, name)?;
    let mut found = git.refs(&["refs"]).await?;
    if found.is_empty() {
        return Err(empty_repository());
    }
    found.retain(|found| found.name.starts_with(start));
    app.show(|view| Ok(paging.answer_all(found, |found| git_ref(view, &repository, &found))))
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Input(input): Input<CreateInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = open_to_change(&app, &caller, &owner, &name)?;
    let git = app.git(&repository);
    let ref_name = input.r#ref.unwrap_or_default();
    if !names::is_ref(&ref_name) || ref_name.starts_with("refs/pull/") {
        return Err(refused("Reference name is not valid"));
    }
    let new = existing_object(&git, input.sha.as_deref()).await?;
    if git.find_ref(&ref_name).await?.is_some() {
        return Err(refused("Reference already exists"));
    }
    let change = RefChange {
        name: ref_name.clone(),
        old: None,
        new: Some(new),
    };
    pushes::update_refs_as(&app, &caller, &repository, &[change]).await?;
    let made = git.find_ref(&ref_name).await?.ok_or(ApiError::NotFound)?;
    let body = app.show(|view| Ok(git_ref(view, &repository, &made)))?;
    Ok((StatusCode::CREATED, Json(body)))
}

async fn update(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, ref_name)): Path<(String, String, String)>,
    Input(input): Input<UpdateInput>,
) -> Result<Json<Value>, ApiError> {
    let repository = open_to_change(&app, &caller, &owner, &name)?;
    let git = app.git(&repository);
    let ref_name = format!("refs/{ref_name}");
    let before = git.find_ref(&ref_name).await?;
    let before = before.ok_or_else(|| refused("Reference does not exist"))?;
    let new = existing_object(&git, input.sha.as_deref()).await?;
    if !input.force && !git.is_ancestor(&before.peeled, &new).await? {
        return Err(refused("Update is not a fast forward"));
    }
    let change = RefChange {
        name: ref_name.clone(),
        old: Some(before.oid),
        new: Some(new),
    };
    pushes::update_refs_as(&app, &caller, &repository, &[change]).await?;
    let after = git.find_ref(&ref_name).await?.ok_or(ApiError::NotFound)?;
    app.show(|view| Ok(Json(git_ref(view, &repository, &after))))
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, ref_name)): Path<(String, String, String)>,
) -> Result<StatusCode, ApiError> {
    let repository = open_to_change(&app, &caller, &owner, &name)?;
    let git = app.git(&repository);
    let found = git.find_ref(&format!("refs/{ref_name}")).await?;
    let found = found.ok_or_else(|| refused("Reference does not exist"))?;
    pushes::update_refs_as(&app, &caller, &repository, &[found.deletion()]).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn existing_object(
    git: &crate::git::GitRepository,
    sha: Option<&str>,
) -> Result<Oid, ApiError> {
    let oid = sha.and_then(Oid::parse);
    let oid = oid.ok_or_else(|| {
        refused("The sha parameter must be exactly 40 characters and contain only [0-9a-f].")
    })?;
    if git.has(&oid).await? {
        Ok(oid)
    } else {
        Err(refused("Object does not exist"))
    }
}

fn open_to_change(
    app: &App,
    caller: &Caller,
    owner: &str,
    name: &str,
) -> Result<Repository, ApiError> {
    app.read(|connection| caller.repository_to_change(connection, owner, name, Permission::Write))
}

fn refused(message: &str) -> ApiError {
    ApiError::Unprocessable(message.to_owned())
}
