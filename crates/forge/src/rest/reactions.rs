use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::reactions as actions;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::comments::find_comment;
use crate::rest::input::Input;
use crate::rest::issues::{IssuePath, find};
use crate::rest::view::View;
use crate::rest::{Paging, users};
use crate::store::reactions::{self, CONTENTS, Reaction, Subject};
use crate::store::repositories::Repository;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route(
            "/repos/{owner}/{repo}/issues/{number}/reactions",
            get(of_issue).post(react_to_issue),
        )
        .route(
            "/repos/{owner}/{repo}/issues/{number}/reactions/{reaction}",
            delete(remove_from_issue),
        )
        .route(
            "/repos/{owner}/{repo}/issues/comments/{comment}/reactions",
            get(of_comment).post(react_to_comment),
        )
        .route(
            "/repos/{owner}/{repo}/issues/comments/{comment}/reactions/{reaction}",
            delete(remove_from_comment),
        )
}

pub(crate) fn reaction(view: View<'_>, reaction: &Reaction) -> Value {
    json!({
        "id": reaction.id,
        "node_id": node_id(Kind::Reaction, reaction.id),
        "user": users::simple(view.urls, &reaction.user),
        "content": reaction.content,
        "created_at": reaction.created_at,
    })
}

/// How often each was given. `subject_url` is the address of what was reacted to.
pub(crate) fn rollup(
    view: View<'_>,
    subject: Subject,
    subject_id: i64,
    subject_url: &str,
) -> Result<Value, ApiError> {
    let counts = reactions::counts(view.connection, subject, subject_id)?;
    let mut body = json!({
        "url": format!("{subject_url}/reactions"),
        "total_count": counts.iter().sum::<i64>(),
    });
    for (content, count) in CONTENTS.iter().zip(counts) {
        body[*content] = json!(count);
    }
    Ok(body)
}

/// The list of reactions as an answer, also for review comments.
pub(crate) fn list(
    view: View<'_>,
    paging: &Paging,
    query: &HashMap<String, String>,
    (subject, subject_id): (Subject, i64),
) -> Result<Response, ApiError> {
    let mut all = reactions::of_subject(view.connection, subject, subject_id)?;
    if let Some(content) = query.get("content") {
        all.retain(|found| found.content == *content);
    }
    Ok(paging.answer_all(all, |found| reaction(view, &found)))
}

#[derive(Deserialize)]
pub(crate) struct ReactionInput {
    pub(crate) content: Option<String>,
}

/// Answers 201 for a new reaction and 200 for one that was there.
pub(crate) async fn add(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    (subject, subject_id): (Subject, i64),
    input: ReactionInput,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let content = input.content.unwrap_or_default();
    let (given, is_new) =
        actions::add(app, caller, repository, subject, subject_id, content).await?;
    let status = if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let body = app.show(|view| Ok(reaction(view, &given)))?;
    Ok((status, Json(body)))
}

pub(crate) async fn remove(
    app: &App,
    caller: &Caller,
    (subject, subject_id): (Subject, i64),
    id: i64,
) -> Result<StatusCode, ApiError> {
    let found =
        app.read(|connection| Ok(reactions::by_id(connection, subject, subject_id, id)?))?;
    actions::remove(app, caller, &found.ok_or(ApiError::NotFound)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn of_issue(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): IssuePath,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let (_, issue) = find(view.connection, &caller, &path)?;
        list(view, &paging, &query, (Subject::Issue, issue.id))
    })
}

async fn react_to_issue(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
    Input(input): Input<ReactionInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (repository, issue) = app.read(|connection| find(connection, &caller, &path))?;
    add(
        &app,
        &caller,
        &repository,
        (Subject::Issue, issue.id),
        input,
    )
    .await
}

async fn remove_from_issue(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, number, id)): Path<(String, String, i64, i64)>,
) -> Result<StatusCode, ApiError> {
    let (_, issue) = app.read(|connection| find(connection, &caller, &(owner, name, number)))?;
    remove(&app, &caller, (Subject::Issue, issue.id), id).await
}

async fn of_comment(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): IssuePath,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let (_, _, comment) = find_comment(view.connection, &caller, &path)?;
        list(view, &paging, &query, (Subject::Comment, comment.id))
    })
}

async fn react_to_comment(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
    Input(input): Input<ReactionInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (repository, _, comment) =
        app.read(|connection| find_comment(connection, &caller, &path))?;
    add(
        &app,
        &caller,
        &repository,
        (Subject::Comment, comment.id),
        input,
    )
    .await
}

async fn remove_from_comment(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, comment, id)): Path<(String, String, i64, i64)>,
) -> Result<StatusCode, ApiError> {
    let path = (owner, name, comment);
    let (_, _, comment) = app.read(|connection| find_comment(connection, &caller, &path))?;
    remove(&app, &caller, (Subject::Comment, comment.id), id).await
}
