use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::issues::{IssuePath, find, issue};
use crate::rest::view::View;
use crate::rest::{Paging, comments, reviews, users};
use crate::store::comments as comment_rows;
use crate::store::issues::{self, Issue};
use crate::store::pulls;
use crate::store::repositories::{Permission, Repository};
use crate::store::reviews as review_rows;
use crate::store::timeline::{self, TimelineEvent};
use crate::store::users as user_rows;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/issues/events", get(of_repository))
        .route("/repos/{owner}/{repo}/issues/events/{event}", get(one))
        .route(
            "/repos/{owner}/{repo}/issues/{number}/events",
            get(of_issue),
        )
        .route(
            "/repos/{owner}/{repo}/issues/{number}/timeline",
            get(everything),
        )
}

/// The keys of an event's own data that stand for users, by id.
const PEOPLE: [&str; 4] = [
    "assignee",
    "assigner",
    "review_requester",
    "requested_reviewer",
];

pub(crate) fn event(
    view: View<'_>,
    repository: &Repository,
    event: &TimelineEvent,
) -> Result<Value, ApiError> {
    let mut body = json!({
        "id": event.id,
        "node_id": node_id(Kind::IssueEvent, event.id),
        "url": view.api(repository, &format!("/issues/events/{}", event.id)),
        "actor": person(view, event.actor_id)?,
        "event": event.event,
        "commit_id": null,
        "commit_url": null,
        "created_at": event.created_at,
    });
    let data = event.data.as_ref().and_then(Value::as_object);
    for (key, value) in data.into_iter().flatten() {
        body[key] = if PEOPLE.contains(&key.as_str()) {
            person(view, value["id"].as_i64())?
        } else {
            value.clone()
        };
    }
    if let Some(commit) = body["commit_id"].as_str() {
        body["commit_url"] = json!(view.api(repository, &format!("/commits/{commit}")));
    }
    body["performed_via_github_app"] = Value::Null;
    Ok(body)
}

fn person(view: View<'_>, id: Option<i64>) -> Result<Value, ApiError> {
    match id {
        Some(id) => {
            let user = user_rows::by_id(view.connection, id)?;
            Ok(users::simple(view.urls, &user))
        }
        None => Ok(Value::Null),
    }
}

async fn of_issue(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): IssuePath,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let (repository, found) = find(view.connection, &caller, &path)?;
        let all = timeline::of_issue(view.connection, found.id)?;
        let total = all.len();
        let items: Result<Vec<_>, _> = paging
            .of(all)
            .iter()
            .map(|happened| event(view, &repository, happened))
            .collect();
        Ok(paging.answer(items?, total))
    })
}

/// With the issue that each is about.
async fn of_repository(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let repository = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        let all = timeline::of_repository(view.connection, repository.id)?;
        let total = all.len();
        let items: Result<Vec<_>, _> = paging
            .of(all)
            .iter()
            .map(|happened| with_issue(view, &repository, happened))
            .collect();
        Ok(paging.answer(items?, total))
    })
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, id)): Path<(String, String, i64)>,
) -> Result<Json<Value>, ApiError> {
    app.show(|view| {
        let repository = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        let found = timeline::by_id(view.connection, repository.id, id)?;
        let found = found.ok_or(ApiError::NotFound)?;
        with_issue(view, &repository, &found).map(Json)
    })
}

fn with_issue(
    view: View<'_>,
    repository: &Repository,
    happened: &TimelineEvent,
) -> Result<Value, ApiError> {
    let mut body = event(view, repository, happened)?;
    let about = issues::by_id(view.connection, happened.issue_id)?;
    body["issue"] = issue(view, repository, &about)?;
    Ok(body)
}

/// Events, comments and reviews, in the order in which they came.
async fn everything(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): IssuePath,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let (repository, found) = find(view.connection, &caller, &path)?;
        let mut all = Vec::new();
        for happened in timeline::of_issue(view.connection, found.id)? {
            let body = event(view, &repository, &happened)?;
            all.push((happened.created_at, body));
        }
        for said in comment_rows::of_issue(view.connection, found.id)? {
            let mut body = comments::comment(view, &repository, &found, &said)?;
            body["event"] = json!("commented");
            body["actor"] = body["user"].clone();
            all.push((said.created_at, body));
        }
        all.extend(reviewed(view, &repository, &found)?);
        // Stable: what came in the same second stays in its own order.
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(paging.answer_all(all, |(_, body)| body))
    })
}

fn reviewed(
    view: View<'_>,
    repository: &Repository,
    issue: &Issue,
) -> Result<Vec<(String, Value)>, ApiError> {
    let Some(pull) = pulls::by_id(view.connection, issue.id)? else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for review in review_rows::of_pull(view.connection, issue.id, None)? {
        let Some(at) = review.submitted_at.clone() else {
            continue;
        };
        let mut body = reviews::review(view, repository, &pull, &review)?;
        body["event"] = json!("reviewed");
        body["state"] = json!(body["state"].as_str().unwrap_or_default().to_lowercase());
        all.push((at, body));
    }
    Ok(all)
}
