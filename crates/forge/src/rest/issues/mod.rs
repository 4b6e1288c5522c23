mod body;
mod filter;

use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, put};
use axum::{Json, Router};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::Value;

use crate::actions::issues::{self as actions, Draft, Edit};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::Paging;
use crate::rest::input::{Input, nullable};
use crate::store::issues::{self, Issue, IssueState};
use crate::store::repositories::{Permission, Repository};

pub(crate) use body::{issue, kind, page};
pub(crate) use filter::in_utc;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/issues", get(assigned))
        .route("/repos/{owner}/{repo}/issues", get(list).post(create))
        .route(
            "/repos/{owner}/{repo}/issues/{number}",
            get(one).patch(update),
        )
        .route(
            "/repos/{owner}/{repo}/issues/{number}/lock",
            put(lock).delete(unlock),
        )
}

/// The address of one issue.
pub(crate) type IssuePath = Path<(String, String, i64)>;

/// The repository and the issue or pull request of that number.
pub(crate) fn find(
    connection: &Connection,
    caller: &Caller,
    path: &(String, String, i64),
) -> Result<(Repository, Issue), ApiError> {
    let (owner, name, number) = path;
    let repository = caller.repository(connection, owner, name, Permission::Read)?;
    let issue = issues::by_number(connection, repository.id, *number)?;
    let issue = issue.ok_or(ApiError::NotFound)?;
    if !issue.is_pull && !repository.has_issues {
        return Err(ApiError::issues_disabled());
    }
    Ok((repository, issue))
}

/// The same for a request that changes something there.
pub(crate) fn find_to_change(
    app: &App,
    caller: &Caller,
    path: &(String, String, i64),
    needed: Permission,
) -> Result<(Repository, Issue), ApiError> {
    let (owner, name, _) = path;
    app.read(|connection| {
        caller.repository_to_change(connection, owner, name, needed)?;
        find(connection, caller, path)
    })
}

#[derive(Deserialize)]
struct CreateInput {
    title: Option<Title>,
    body: Option<String>,
    #[serde(default)]
    labels: Option<Vec<LabelName>>,
    #[serde(default)]
    assignees: Option<Vec<String>>,
    assignee: Option<String>,
    milestone: Option<i64>,
}

#[derive(Deserialize)]
struct UpdateInput {
    title: Option<Title>,
    #[serde(default, deserialize_with = "nullable")]
    body: Option<Option<String>>,
    state: Option<String>,
    state_reason: Option<String>,
    labels: Option<Vec<LabelName>>,
    assignees: Option<Vec<String>>,
    #[serde(default, deserialize_with = "nullable")]
    assignee: Option<Option<String>>,
    #[serde(default, deserialize_with = "nullable")]
    milestone: Option<Option<i64>>,
}

#[derive(Deserialize)]
struct LockInput {
    lock_reason: Option<String>,
}

/// A number is a title, too.
struct Title(String);

impl<'de> Deserialize<'de> for Title {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            Value::Number(number) => Ok(Self(number.to_string())),
            _ => Err(serde::de::Error::custom(
                "title is not a string or a number",
            )),
        }
    }
}

/// A name, or an object that has one.
pub(crate) struct LabelName(pub(crate) String);

impl<'de> Deserialize<'de> for LabelName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let name = value.as_str().or_else(|| value["name"].as_str());
        name.map(|name| Self(name.to_owned()))
            .ok_or_else(|| serde::de::Error::custom("a label is a name or an object with one"))
    }
}

async fn list(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let repository = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        let filter = filter::Filter::read(view.connection, &caller, &repository, &query)?;
        let found = filter.find(view.connection)?;
        let total = found.len();
        let items: Result<Vec<_>, _> = paging
            .of(found)
            .iter()
            .map(|found| issue(view, &repository, found))
            .collect();
        Ok(paging.answer(items?, total))
    })
}

/// Issues and pull requests that wait for the caller, in all repositories.
async fn assigned(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    let user = caller.user()?;
    app.show(|view| {
        let mut found = filter::assigned_to(view.connection, user.id, &query)?;
        let mut readable = Vec::new();
        for issue in found.drain(..) {
            let repository =
                crate::store::repositories::by_id(view.connection, issue.repository_id)?;
            if caller.permission(view.connection, &repository)? >= Permission::Read {
                readable.push((repository, issue));
            }
        }
        let total = readable.len();
        let items: Result<Vec<_>, _> = paging
            .of(readable)
            .iter()
            .map(|(repository, found)| {
                let mut body = issue(view, repository, found)?;
                body["repository"] =
                    crate::rest::repositories::ordinary(view, repository, Some(&caller))?;
                Ok::<_, ApiError>(body)
            })
            .collect();
        Ok(paging.answer(items?, total))
    })
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
) -> Result<Json<Value>, ApiError> {
    app.show(|view| {
        let (repository, found) = find(view.connection, &caller, &path)?;
        issue(view, &repository, &found).map(Json)
    })
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Input(input): Input<CreateInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = app.read(|connection| {
        caller.repository_to_change(connection, &owner, &name, Permission::Read)
    })?;
    let mut assignees = input.assignees.unwrap_or_default();
    assignees.extend(input.assignee);
    let draft = Draft {
        title: input.title.map(|title| title.0).unwrap_or_default(),
        body: input.body,
        labels: names(input.labels.unwrap_or_default()),
        assignees,
        milestone: input.milestone,
    };
    let created = actions::create(&app, &caller, &repository, draft).await?;
    let body = app.show(|view| issue(view, &repository, &created))?;
    Ok((StatusCode::CREATED, Json(body)))
}

async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
    Input(input): Input<UpdateInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, found) = find_to_change(&app, &caller, &path, Permission::Read)?;
    let state = match input.state.as_deref() {
        Some("open") => Some(IssueState::Open),
        Some("closed") => Some(IssueState::Closed),
        Some(_) => return Err(ApiError::invalid("Issue", "state", "invalid", None)),
        None => None,
    };
    let assignee = input.assignee.map(|one| one.into_iter().collect());
    let edit = Edit {
        title: input.title.map(|title| title.0),
        body: input.body,
        state,
        state_reason: input.state_reason,
        labels: input.labels.map(names),
        assignees: input.assignees.or(assignee),
        milestone: input.milestone,
    };
    let updated = actions::update(&app, &caller, &repository, &found, edit).await?;
    app.show(|view| issue(view, &repository, &updated).map(Json))
}

async fn lock(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
    Input(input): Input<LockInput>,
) -> Result<StatusCode, ApiError> {
    let (repository, found) = find_to_change(&app, &caller, &path, Permission::Triage)?;
    actions::lock(&app, &caller, &repository, &found, input.lock_reason).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn unlock(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
) -> Result<StatusCode, ApiError> {
    let (repository, found) = find_to_change(&app, &caller, &path, Permission::Triage)?;
    actions::unlock(&app, &caller, &repository, &found).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn names(labels: Vec<LabelName>) -> Vec<String> {
    labels.into_iter().map(|label| label.0).collect()
}
