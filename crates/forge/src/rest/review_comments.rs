use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::reviews as actions;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::input::Input;
use crate::rest::issues::in_utc;
use crate::rest::pulls::{self as pull_bodies, PullPath};
use crate::rest::reactions::{self, ReactionInput};
use crate::rest::reviews::CommentInput;
use crate::rest::view::View;
use crate::rest::{Paging, users};
use crate::store::pulls::{self, Pull};
use crate::store::reactions::Subject as ReactionSubject;
use crate::store::repositories::{self, Permission, Repository};
use crate::store::review_threads::{self, ReviewComment, Side, Thread};
use crate::store::reviews::{self, ReviewState};

pub(crate) fn routes() -> Router<App> {
    const OF_PULL: &str = "/repos/{owner}/{repo}/pulls/{number}/comments";
    const ONE: &str = "/repos/{owner}/{repo}/pulls/comments/{comment}";
    Router::new()
        .route("/repos/{owner}/{repo}/pulls/comments", get(of_repository))
        .route(ONE, get(one).patch(update).delete(remove))
        .route(&format!("{ONE}/reactions"), get(list_reactions).post(react))
        .route(
            &format!("{ONE}/reactions/{{reaction}}"),
            delete(remove_reaction),
        )
        .route(OF_PULL, get(of_pull).post(create))
        .route(&format!("{OF_PULL}/{{comment}}/replies"), post(reply))
}

/// `pull-request-review-comment` in GitHub's description.
pub(crate) fn comment(
    view: View<'_>,
    repository: &Repository,
    pull: &Pull,
    comment: &ReviewComment,
) -> Result<Value, ApiError> {
    let thread = review_threads::by_id(view.connection, comment.thread_id)?;
    let thread = thread.ok_or(ApiError::NotFound)?;
    let api = view.api(repository, &format!("/pulls/comments/{}", comment.id));
    let pull_api = view.api(repository, &format!("/pulls/{}", pull.number()));
    let page = view.page(repository, &format!("/pull/{}", pull.number()));
    let page = format!("{page}#discussion_r{}", comment.id);
    let association = repositories::association(view.connection, repository, &comment.user)?;
    let subject = ReactionSubject::ReviewComment;
    let mut body = json!({
        "url": api,
        "pull_request_review_id": comment.review_id,
        "id": comment.id,
        "node_id": node_id(Kind::ReviewComment, comment.id),
        "user": users::simple(view.urls, &comment.user),
        "body": comment.body,
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
        "html_url": page,
        "pull_request_url": pull_api,
        "author_association": association,
        "_links": {
            "self": { "href": api },
            "html": { "href": page },
            "pull_request": { "href": pull_api },
        },
        "reactions": reactions::rollup(view, subject, comment.id, &api)?,
    });
    add_place(&mut body, &thread);
    if let Some(id) = comment.in_reply_to_id {
        body["in_reply_to_id"] = json!(id);
    }
    Ok(body)
}

fn add_place(body: &mut Value, thread: &Thread) {
    let (now, then) = (&thread.place, &thread.original_place);
    body["path"] = json!(thread.path);
    body["diff_hunk"] = json!(thread.diff_hunk);
    body["commit_id"] = json!(thread.commit_sha);
    body["original_commit_id"] = json!(thread.original_commit_sha);
    body["position"] = json!(now.position);
    body["original_position"] = json!(then.position.unwrap_or(1));
    body["line"] = json!(now.line);
    body["original_line"] = json!(then.line);
    body["start_line"] = json!(now.start_line);
    body["original_start_line"] = json!(then.start_line);
    body["side"] = json!(thread.side.as_str());
    body["start_side"] = json!(thread.start_side.map(Side::as_str));
    body["subject_type"] = json!(thread.subject.as_str());
}

/// The address of one comment.
type CommentPath = Path<(String, String, i64)>;

/// One of an unpublished review is there for its author alone.
fn find(
    app: &App,
    caller: &Caller,
    path: &(String, String, i64),
) -> Result<(Repository, Pull, ReviewComment), ApiError> {
    let (owner, name, id) = path;
    app.read(|connection| {
        let repository = caller.repository(connection, owner, name, Permission::Read)?;
        let comment = review_threads::comment(connection, *id)?.ok_or(ApiError::NotFound)?;
        let review = reviews::by_id(connection, comment.review_id)?.ok_or(ApiError::NotFound)?;
        let pull = pulls::by_id(connection, review.pull_id)?.ok_or(ApiError::NotFound)?;
        let viewer = caller.user.as_ref().map(|user| user.id);
        let hidden = review.state == ReviewState::Pending && Some(review.user.id) != viewer;
        if pull.issue.repository_id != repository.id || hidden {
            return Err(ApiError::NotFound);
        }
        Ok((repository, pull, comment))
    })
}

fn find_to_change(
    app: &App,
    caller: &Caller,
    path: &(String, String, i64),
) -> Result<(Repository, Pull, ReviewComment), ApiError> {
    let (owner, name, _) = path;
    app.read(|connection| caller.repository_to_change(connection, owner, name, Permission::Read))?;
    find(app, caller, path)
}

#[derive(Deserialize)]
struct CreateInput {
    commit_id: Option<String>,
    in_reply_to: Option<i64>,
    body: Option<String>,
    path: Option<String>,
    position: Option<u32>,
    line: Option<u32>,
    side: Option<String>,
    start_line: Option<u32>,
    start_side: Option<String>,
    subject_type: Option<String>,
}

#[derive(Deserialize)]
struct BodyInput {
    body: Option<String>,
}

async fn of_pull(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): PullPath,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    let (repository, pull) = pull_bodies::find(&app, &caller, &path)?;
    app.show(|view| {
        let all = review_threads::comments_of_pull(view.connection, pull.id())?;
        let all = ordered(all, &query)?;
        let total = all.len();
        let items: Result<Vec<_>, _> = paging
            .of(all)
            .iter()
            .map(|found| comment(view, &repository, &pull, found))
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
        let connection = view.connection;
        let repository = caller.repository(connection, &owner, &name, Permission::Read)?;
        let all = review_threads::comments_of_repository(connection, repository.id)?;
        let all = ordered(all, &query)?;
        let total = all.len();
        let mut items = Vec::new();
        for found in paging.of(all) {
            let thread = review_threads::by_id(connection, found.thread_id)?;
            let pull_id = thread.ok_or(ApiError::NotFound)?.pull_id;
            let pull = pulls::by_id(connection, pull_id)?.ok_or(ApiError::NotFound)?;
            items.push(comment(view, &repository, &pull, &found)?);
        }
        Ok(paging.answer(items, total))
    })
}

/// Oldest first unless asked for otherwise.
fn ordered(
    mut all: Vec<ReviewComment>,
    query: &HashMap<String, String>,
) -> Result<Vec<ReviewComment>, ApiError> {
    if let Some(since) = query.get("since") {
        let since = in_utc(since)?;
        all.retain(|found| found.updated_at >= since);
    }
    if query.get("sort").is_some_and(|sort| sort == "updated") {
        all.sort_by(|one, other| one.updated_at.cmp(&other.updated_at));
    }
    if query.get("direction").is_some_and(|to| to == "desc") {
        all.reverse();
    }
    Ok(all)
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path(path): PullPath,
    Input(input): Input<CreateInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (repository, pull) = pull_bodies::find_to_change(&app, &caller, &path, Permission::Read)?;
    if let Some(id) = input.in_reply_to {
        let body = input.body.unwrap_or_default();
        return reply_to(&app, &caller, &repository, &pull, id, body).await;
    }
    let resource = "PullRequestReviewComment";
    let commit = input
        .commit_id
        .ok_or_else(|| ApiError::invalid(resource, "commit_id", "missing_field", None))?;
    let draft = CommentInput {
        path: input.path,
        body: input.body,
        position: input.position,
        line: input.line,
        side: input.side,
        start_line: input.start_line,
        start_side: input.start_side.filter(|side| side != "side"),
        subject_type: input.subject_type,
    };
    let draft = draft.draft()?;
    let made = actions::add_comment(&app, &caller, &repository, &pull, &commit, draft).await?;
    let body = app.show(|view| comment(view, &repository, &pull, &made))?;
    Ok((StatusCode::CREATED, Json(body)))
}

async fn reply(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, number, id)): Path<(String, String, i64, i64)>,
    Input(input): Input<BodyInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let path = (owner, name, number);
    let (repository, pull) = pull_bodies::find_to_change(&app, &caller, &path, Permission::Read)?;
    let body = input.body.unwrap_or_default();
    reply_to(&app, &caller, &repository, &pull, id, body).await
}

async fn reply_to(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    id: i64,
    body: String,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let thread = app.read(|connection| {
        let earlier = review_threads::comment(connection, id)?.ok_or(ApiError::NotFound)?;
        let thread = review_threads::by_id(connection, earlier.thread_id)?;
        let thread = thread.filter(|thread| thread.pull_id == pull.id());
        thread.ok_or(ApiError::NotFound)
    })?;
    let made = actions::reply(app, caller, repository, pull, &thread, body, None).await?;
    let body = app.show(|view| comment(view, repository, pull, &made))?;
    Ok((StatusCode::CREATED, Json(body)))
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path(path): CommentPath,
) -> Result<Json<Value>, ApiError> {
    let (repository, pull, found) = find(&app, &caller, &path)?;
    Ok(Json(
        app.show(|view| comment(view, &repository, &pull, &found))?,
    ))
}

async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(path): CommentPath,
    Input(input): Input<BodyInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, pull, found) = find_to_change(&app, &caller, &path)?;
    let body = input.body.unwrap_or_default();
    let found = actions::edit_comment(&app, &caller, &repository, &found, body).await?;
    Ok(Json(
        app.show(|view| comment(view, &repository, &pull, &found))?,
    ))
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(path): CommentPath,
) -> Result<StatusCode, ApiError> {
    let (repository, _, found) = find_to_change(&app, &caller, &path)?;
    actions::delete_comment(&app, &caller, &repository, &found).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn list_reactions(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): CommentPath,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    let (_, _, found) = find(&app, &caller, &path)?;
    let subject = (ReactionSubject::ReviewComment, found.id);
    app.show(|view| reactions::list(view, &paging, &query, subject))
}

async fn react(
    State(app): State<App>,
    caller: Caller,
    Path(path): CommentPath,
    Input(input): Input<ReactionInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (repository, _, found) = find_to_change(&app, &caller, &path)?;
    let subject = (ReactionSubject::ReviewComment, found.id);
    reactions::add(&app, &caller, &repository, subject, input).await
}

async fn remove_reaction(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, comment, id)): Path<(String, String, i64, i64)>,
) -> Result<StatusCode, ApiError> {
    let (_, _, found) = find_to_change(&app, &caller, &(owner, name, comment))?;
    let subject = (ReactionSubject::ReviewComment, found.id);
    reactions::remove(&app, &caller, subject, id).await
}
