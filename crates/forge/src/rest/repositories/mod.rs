mod body;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

use crate::actions::repositories::{self as actions, Creation, Edit};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::Paging;
use crate::rest::input::{Input, nullable};
use crate::rest::view::View;
use crate::store::repositories::{self, Permission, Repository};
use crate::store::users;

pub(crate) use body::{full, minimal, ordinary, permissions};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/user/repos", get(own).post(create_own))
        .route("/users/{login}/repos", get(of_owner))
        .route("/orgs/{login}/repos", get(of_owner).post(create_for))
        .route(
            "/repos/{owner}/{repo}",
            get(one).patch(update).delete(remove),
        )
        .route("/repos/{owner}/{repo}/forks", get(forks).post(fork))
        .route("/repositories", get(all))
        .route("/repos/{owner}/{repo}/topics", get(topics))
        .route("/repos/{owner}/{repo}/languages", get(languages))
}

#[derive(Deserialize)]
struct CreateInput {
    name: Option<String>,
    description: Option<String>,
    private: Option<bool>,
    visibility: Option<String>,
}

#[derive(Deserialize)]
struct UpdateInput {
    name: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    description: Option<Option<String>>,
    private: Option<bool>,
    visibility: Option<String>,
    archived: Option<bool>,
    has_issues: Option<bool>,
    default_branch: Option<String>,
    allow_merge_commit: Option<bool>,
    allow_squash_merge: Option<bool>,
    allow_rebase_merge: Option<bool>,
    allow_auto_merge: Option<bool>,
    allow_update_branch: Option<bool>,
    delete_branch_on_merge: Option<bool>,
    squash_merge_commit_title: Option<String>,
    squash_merge_commit_message: Option<String>,
    merge_commit_title: Option<String>,
    merge_commit_message: Option<String>,
}

#[derive(Deserialize)]
struct ForkInput {
    organization: Option<String>,
    name: Option<String>,
    default_branch_only: Option<bool>,
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    app.show(|view| {
        let found = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        full(view, &found, Some(&caller)).map(Json)
    })
}

/// Everything the caller has a right in, beyond what everybody has.
async fn own(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    let user = caller.user()?;
    let only_owned = query.get("type").is_some_and(|kind| kind == "owner")
        || query.get("affiliation").is_some_and(|kind| kind == "owner");
    app.show(|view| {
        let mut found = Vec::new();
        for repository in repositories::all(view.connection)? {
            let is_owner = repository.owner.id == user.id;
            let permission = caller.permission(view.connection, &repository)?;
            if is_owner || (!only_owned && permission > Permission::Read) {
                found.push(repository);
            }
        }
        let found = narrow(found, &query);
        let total = found.len();
        let shown = paging.of(found);
        let items: Result<Vec<_>, _> = shown
            .iter()
            .map(|repository| ordinary(view, repository, Some(&caller)))
            .collect();
        Ok(paging.answer(items?, total))
    })
}

async fn of_owner(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(login): Path<String>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let owner = users::by_login(view.connection, &login)?.ok_or(ApiError::NotFound)?;
        let all = repositories::of_owner(view.connection, owner.id)?;
        list(view, &caller, &paging, narrow(all, &query))
    })
}

async fn all(State(app): State<App>, caller: Caller, paging: Paging) -> Result<Response, ApiError> {
    app.show(|view| {
        let all = repositories::all(view.connection)?;
        list(view, &caller, &paging, all)
    })
}

async fn forks(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let source = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        let forks = repositories::forks_of(view.connection, source.id)?;
        list(view, &caller, &paging, forks)
    })
}

async fn create_own(
    State(app): State<App>,
    caller: Caller,
    Input(input): Input<CreateInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let login = caller.user()?.login.clone();
    create(&app, &caller, &login, input).await
}

async fn create_for(
    State(app): State<App>,
    caller: Caller,
    Path(login): Path<String>,
    Input(input): Input<CreateInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    create(&app, &caller, &login, input).await
}

async fn create(
    app: &App,
    caller: &Caller,
    login: &str,
    input: CreateInput,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let owner = actions::owner_for(app, caller, login)?;
    let creation = Creation {
        name: input
            .name
            .ok_or_else(|| ApiError::invalid("Repository", "name", "missing_field", None))?,
        description: input.description,
        private: is_private(input.private, input.visibility.as_deref()).unwrap_or(false),
        default_branch: "main".to_owned(),
        path: None,
    };
    let created = actions::create(app, &owner, creation).await?;
    let body = app.show(|view| full(view, &created, Some(caller)))?;
    Ok((StatusCode::CREATED, Json(body)))
}

async fn update(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Input(input): Input<UpdateInput>,
) -> Result<Json<Value>, ApiError> {
    let found = app.read(|connection| {
        let found = caller.repository(connection, &owner, &name, Permission::Admin)?;
        // What was archived can only be brought back.
        if found.archived && input.archived != Some(false) {
            return Err(ApiError::Forbidden(
                "Repository was archived so is read-only.".to_owned(),
            ));
        }
        Ok(found)
    })?;
    let edit = Edit {
        name: input.name,
        description: input.description,
        private: is_private(input.private, input.visibility.as_deref()),
        archived: input.archived,
        has_issues: input.has_issues,
        default_branch: input.default_branch,
        allow_merge_commit: input.allow_merge_commit,
        allow_squash_merge: input.allow_squash_merge,
        allow_rebase_merge: input.allow_rebase_merge,
        allow_auto_merge: input.allow_auto_merge,
        allow_update_branch: input.allow_update_branch,
        delete_branch_on_merge: input.delete_branch_on_merge,
        squash_merge_commit_title: input.squash_merge_commit_title,
        squash_merge_commit_message: input.squash_merge_commit_message,
        merge_commit_title: input.merge_commit_title,
        merge_commit_message: input.merge_commit_message,
    };
    let updated = actions::update(&app, &caller, &found, edit).await?;
    app.show(|view| full(view, &updated, Some(&caller)).map(Json))
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
) -> Result<StatusCode, ApiError> {
    if caller.user.is_some() && !caller.has_scope("delete_repo") {
        return Err(ApiError::Forbidden(
            "Must have admin rights to Repository.".to_owned(),
        ));
    }
    let found =
        app.read(|connection| caller.repository(connection, &owner, &name, Permission::Admin))?;
    actions::delete(&app, &found).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn fork(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Input(input): Input<ForkInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let source =
        app.read(|connection| caller.repository(connection, &owner, &name, Permission::Read))?;
    let login = match &input.organization {
        Some(login) => login.clone(),
        None => caller.user()?.login.clone(),
    };
    let owner = actions::owner_for(&app, &caller, &login)?;
    let only_default = input.default_branch_only.unwrap_or(false);
    let made = actions::fork(&app, &owner, &source, input.name, only_default).await?;
    let body = app.show(|view| full(view, &made, Some(&caller)))?;
    Ok((StatusCode::ACCEPTED, Json(body)))
}

async fn topics(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    app.read(|connection| caller.repository(connection, &owner, &name, Permission::Read))?;
    Ok(Json(serde_json::json!({"names": []})))
}

async fn languages(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    app.read(|connection| caller.repository(connection, &owner, &name, Permission::Read))?;
    Ok(Json(serde_json::json!({})))
}

/// Only what the caller may read.
fn list(
    view: View<'_>,
    caller: &Caller,
    paging: &Paging,
    all: Vec<Repository>,
) -> Result<Response, ApiError> {
    let mut readable = Vec::new();
    for repository in all {
        if caller.permission(view.connection, &repository)? >= Permission::Read {
            readable.push(repository);
        }
    }
    let total = readable.len();
    let items: Result<Vec<_>, _> = paging
        .of(readable)
        .iter()
        .map(|repository| minimal(view, repository, Some(caller)))
        .collect();
    Ok(paging.answer(items?, total))
}

/// `type`, `visibility`, `sort` and `direction`, as far as they make a
/// difference here.
fn narrow(mut all: Vec<Repository>, query: &HashMap<String, String>) -> Vec<Repository> {
    for key in ["type", "visibility"] {
        match query.get(key).map(String::as_str) {
            Some("public") => all.retain(|repository| !repository.private),
            Some("private") => all.retain(|repository| repository.private),
            Some("forks") => all.retain(|repository| repository.fork_of.is_some()),
            Some("sources") => all.retain(|repository| repository.fork_of.is_none()),
            _ => {}
        }
    }
    let sort = query.get("sort").map_or("full_name", String::as_str);
    match sort {
        "created" => all.sort_by(|a, b| a.created_at.cmp(&b.created_at).then(a.id.cmp(&b.id))),
        "updated" => all.sort_by(|a, b| a.updated_at.cmp(&b.updated_at)),
        "pushed" => all.sort_by(|a, b| a.pushed_at.cmp(&b.pushed_at)),
        _ => all.sort_by_key(|repository| repository.full_name().to_ascii_lowercase()),
    }
    let descending = match query.get("direction").map(String::as_str) {
        Some("desc") => true,
        Some("asc") => false,
        _ => sort != "full_name",
    };
    if descending {
        all.reverse();
    }
    all
}

fn is_private(private: Option<bool>, visibility: Option<&str>) -> Option<bool> {
    match visibility {
        Some("private" | "internal") => Some(true),
        Some("public") => Some(false),
        _ => private,
    }
}
