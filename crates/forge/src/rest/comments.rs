use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::comments as actions;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::input::Input;
use crate::rest::issues::{self as issue_bodies, IssuePath, find, find_to_change};
use crate::rest::view::View;
use crate::rest::{Paging, reactions, users};
use crate::store::comments::{self, Comment};
use crate::store::issues::{self, Issue};
use crate::store::reactions::Subject;
use crate::store::repositories::{self, Permission, Repository};
use crate::store::users as user_rows;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/issues/comments", get(of_repository))
        .route(
            "/repos/{owner}/{repo}/issues/comments/{comment}",
            get(one).patch(update).delete(remove),
        )
        .route(
            "/repos/{owner}/{repo}/issues/{number}/comments",
            get(of_issue).post(create),
        )
}

pub(crate) fn comment(
    view: View<'_>,
    repository: &Repository,
    issue: &Issue,
    comment: &Comment,
) -> Result<Value, ApiError> {
    let api = view.api(repository, &format!("/issues/comments/{}", comment.id));
    let author = user_rows::by_id(view.connection, comment.author_id)?;
    let page = issue_bodies::page(view, repository, issue);
    Ok(json!({
        "url": api,
        "html_url": format!("{page}#issuecomment-{}", comment.id),
        "issue_url": view.api(repository, &format!("/issues/{}", issue.number)),
        "id": comment.id,
        "node_id": node_id(Kind::IssueComment, comment.id),
        "user": users::simple(view.urls, &author),
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
        "body": comment.body,
        "author_association": repositories::association(view.connection, repository, &author)?,
        "reactions": reactions::rollup(view, Subject::Comment, comment.id, &api)?,
        "performed_via_github_app": null,
    }))
}

/// By the repository's name and the comment's id.
pub(crate) fn find_comment(
    connection: &Connection,
    caller: &Caller,
    path: &(String, String, i64),
) -> Result<(Repository, Issue, Comment), ApiError> {
    let (owner, name, id) = path;
    let repository = caller.repository(connection, owner, name, Permission::Read)?;
    let found = comments::by_id(connection, *id)?.ok_or(ApiError::NotFound)?;
    let issue = issues::by_id(connection, found.issue_id)?;
    if issue.repository_id != repository.id {
        return Err(ApiError::NotFound);
    }
    Ok((repository, issue, found))
}

#[derive(Deserialize)]
struct BodyInput {
    body: Option<String>,
}

async fn of_issue(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): IssuePath,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let (repository, issue) = find(view.connection, &caller, &path)?;
        let mut all = comments::of_issue(view.connection, issue.id)?;
        if let Some(since) = query.get("since") {
            let since = issue_bodies::in_utc(since)?;
            all.retain(|found| found.updated_at >= since);
        }
        let total = all.len();
        let items: Result<Vec<_>, _> = paging
            .of(all)
            .iter()
            .map(|found| comment(view, &repository, &issue, found))
            .collect();
        Ok(paging.answer(items?, total))
    })
}

async fn of_repository(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let repository = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        let mut all = comments::of_repository(view.connection, repository.id)?;
        if let Some(since) = query.get("since") {
            let since = issue_bodies::in_utc(since)?;
            all.retain(|found| found.updated_at >= since);
        }
        if query.get("sort").is_some_and(|sort| sort == "updated") {
            all.sort_by(|one, other| one.updated_at.cmp(&other.updated_at));
        }
        if query.get("direction").is_some_and(|to| to == "desc") {
            all.reverse();
        }
        let total = all.len();
        let mut items = Vec::new();
        for found in paging.of(all) {
            let issue = issues::by_id(view.connection, found.issue_id)?;
            items.push(comment(view, &repository, &issue, &found)?);
        }
        Ok(paging.answer(items, total))
    })
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
) -> Result<Json<Value>, ApiError> {
    app.show(|view| {
        let (repository, issue, found) = find_comment(view.connection, &caller, &path)?;
        comment(view, &repository, &issue, &found).map(Json)
    })
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
    Input(input): Input<BodyInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (repository, issue) = find_to_change(&app, &caller, &path, Permission::Read)?;
    let body = input.body.unwrap_or_default();
    let created = actions::create(&app, &caller, &repository, &issue, body).await?;
    let body = app.show(|view| comment(view, &repository, &issue, &created))?;
    Ok((StatusCode::CREATED, Json(body)))
}

async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
    Input(input): Input<BodyInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, issue, found) = find_comment_to_change(&app, &caller, &path)?;
    let body = input.body.unwrap_or_default();
    let updated = actions::update(&app, &caller, &repository, found, body).await?;
    app.show(|view| comment(view, &repository, &issue, &updated).map(Json))
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
) -> Result<StatusCode, ApiError> {
    let (repository, _, found) = find_comment_to_change(&app, &caller, &path)?;
    actions::delete(&app, &caller, &repository, found).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn find_comment_to_change(
    app: &App,
    caller: &Caller,
    path: &(String, String, i64),
) -> Result<(Repository, Issue, Comment), ApiError> {
    let (owner, name, _) = path;
    app.read(|connection| {
        caller.repository_to_change(connection, owner, name, Permission::Read)?;
        find_comment(connection, caller, path)
    })
}
