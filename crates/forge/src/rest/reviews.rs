use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::{get, post, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::reviews::{self as actions, DraftComment, NewReview, Opinion};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::input::Input;
use crate::rest::pulls::{self as pull_bodies, PullPath};
use crate::rest::review_comments;
use crate::rest::view::View;
use crate::rest::{Paging, users};
use crate::store::pulls::Pull;
use crate::store::repositories::{self, Permission, Repository};
use crate::store::review_threads::{self, Side, Subject};
use crate::store::reviews::{self, Review, ReviewState};

pub(crate) fn routes() -> Router<App> {
    const ALL: &str = "/repos/{owner}/{repo}/pulls/{number}/reviews";
    Router::new()
        .route(ALL, get(list).post(create))
        .route(
            &format!("{ALL}/{{review}}"),
            get(one).put(edit).delete(remove),
        )
        .route(&format!("{ALL}/{{review}}/comments"), get(comments))
        .route(&format!("{ALL}/{{review}}/dismissals"), put(dismiss))
        .route(&format!("{ALL}/{{review}}/events"), post(submit))
}

/// `pull-request-review` in GitHub's description.
pub(crate) fn review(
    view: View<'_>,
    repository: &Repository,
    pull: &Pull,
    review: &Review,
) -> Result<Value, ApiError> {
    let page = view.page(repository, &format!("/pull/{}", pull.number()));
    let page = format!("{page}#pullrequestreview-{}", review.id);
    let api = view.api(repository, &format!("/pulls/{}", pull.number()));
    let association = repositories::association(view.connection, repository, &review.user)?;
    let mut body = json!({
        "id": review.id,
        "node_id": node_id(Kind::Review, review.id),
        "user": users::simple(view.urls, &review.user),
        "body": review.body,
        "state": review.state.as_str(),
        "html_url": page,
        "pull_request_url": api,
        "author_association": association,
        "_links": { "html": { "href": page }, "pull_request": { "href": api } },
        "commit_id": review.commit_sha,
    });
    if let Some(at) = &review.submitted_at {
        body["submitted_at"] = json!(at);
    }
    Ok(body)
}

/// The address of one review.
type ReviewPath = Path<(String, String, i64, i64)>;

/// A pending review is there for its author alone.
fn find(
    app: &App,
    caller: &Caller,
    path: &(String, String, i64, i64),
) -> Result<(Repository, Pull, Review), ApiError> {
    let (owner, name, number, id) = path;
    let (repository, pull) =
        pull_bodies::find(app, caller, &(owner.clone(), name.clone(), *number))?;
    let review = app.read(|connection| Ok(reviews::by_id(connection, *id)?))?;
    let viewer = caller.user.as_ref().map(|user| user.id);
    let review = review
        .filter(|review| review.pull_id == pull.id())
        .filter(|review| review.state != ReviewState::Pending || Some(review.user.id) == viewer)
        .ok_or(ApiError::NotFound)?;
    Ok((repository, pull, review))
}

fn find_to_change(
    app: &App,
    caller: &Caller,
    path: &(String, String, i64, i64),
) -> Result<(Repository, Pull, Review), ApiError> {
    let (owner, name, ..) = path;
    app.read(|connection| caller.repository_to_change(connection, owner, name, Permission::Read))?;
    find(app, caller, path)
}

#[derive(Deserialize)]
struct CreateInput {
    commit_id: Option<String>,
    body: Option<String>,
    event: Option<String>,
    #[serde(default)]
    comments: Option<Vec<CommentInput>>,
}

#[derive(Deserialize)]
pub(crate) struct CommentInput {
    pub(crate) path: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) position: Option<u32>,
    pub(crate) line: Option<u32>,
    pub(crate) side: Option<String>,
    pub(crate) start_line: Option<u32>,
    pub(crate) start_side: Option<String>,
    pub(crate) subject_type: Option<String>,
}

impl CommentInput {
    pub(crate) fn draft(self) -> Result<DraftComment, ApiError> {
        let resource = "PullRequestReviewComment";
        let missing = |field| ApiError::invalid(resource, field, "missing_field", None);
        let invalid = |field| ApiError::invalid(resource, field, "invalid", None);
        let side = |text: Option<String>, field| match text {
            None => Ok(None),
            Some(text) => Side::parse(&text).map(Some).ok_or_else(|| invalid(field)),
        };
        let subject = match self.subject_type.as_deref() {
            None => Subject::Line,
            Some(text) => Subject::parse(text).ok_or_else(|| invalid("subject_type"))?,
        };
        Ok(DraftComment {
            path: self.path.ok_or_else(|| missing("path"))?,
            body: self.body.ok_or_else(|| missing("body"))?,
            position: self.position,
            line: self.line,
            side: side(self.side, "side")?.unwrap_or(Side::Right),
            start_line: self.start_line,
            start_side: side(self.start_side, "start_side")?,
            subject,
        })
    }
}

#[derive(Deserialize)]
struct BodyInput {
    body: Option<String>,
}

#[derive(Deserialize)]
struct SubmitInput {
    body: Option<String>,
    event: Option<String>,
}

#[derive(Deserialize)]
struct DismissInput {
    message: Option<String>,
}

fn opinion(text: Option<&str>) -> Result<Option<Opinion>, ApiError> {
    match text {
        None | Some("PENDING") => Ok(None),
        Some(text) => Opinion::parse(text).map(Some).ok_or_else(|| {
            ApiError::Sentences(vec![
                "Variable $event of type PullRequestReviewEvent was provided invalid value"
                    .to_owned(),
            ])
        }),
    }
}

async fn list(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): PullPath,
) -> Result<Response, ApiError> {
    let (repository, pull) = pull_bodies::find(&app, &caller, &path)?;
    let viewer = caller.user.as_ref().map(|user| user.id);
    app.show(|view| {
        let all = reviews::of_pull(view.connection, pull.id(), viewer)?;
        let total = all.len();
        let items: Result<Vec<_>, _> = paging
            .of(all)
            .iter()
            .map(|found| review(view, &repository, &pull, found))
            .collect();
        Ok(paging.answer(items?, total))
    })
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path(path): PullPath,
    Input(input): Input<CreateInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, pull) = pull_bodies::find_to_change(&app, &caller, &path, Permission::Read)?;
    let comments: Result<Vec<_>, _> = input
        .comments
        .unwrap_or_default()
        .into_iter()
        .map(CommentInput::draft)
        .collect();
    let new = NewReview {
        commit: input.commit_id,
        body: input.body,
        opinion: opinion(input.event.as_deref())?,
        comments: comments?,
    };
    let made = actions::create(&app, &caller, &repository, &pull, new).await?;
    show(&app, &repository, &pull, &made)
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path(path): ReviewPath,
) -> Result<Json<Value>, ApiError> {
    let (repository, pull, found) = find(&app, &caller, &path)?;
    show(&app, &repository, &pull, &found)
}

async fn edit(
    State(app): State<App>,
    caller: Caller,
    Path(path): ReviewPath,
    Input(input): Input<BodyInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, pull, found) = find_to_change(&app, &caller, &path)?;
    let body = input.body.unwrap_or_default();
    let found = actions::edit(&app, &caller, &repository, &found, body).await?;
    show(&app, &repository, &pull, &found)
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(path): ReviewPath,
) -> Result<Json<Value>, ApiError> {
    let (repository, pull, found) = find_to_change(&app, &caller, &path)?;
    let shown = show(&app, &repository, &pull, &found)?;
    actions::delete_pending(&app, &caller, &repository, &found).await?;
    Ok(shown)
}

async fn submit(
    State(app): State<App>,
    caller: Caller,
    Path(path): ReviewPath,
    Input(input): Input<SubmitInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, pull, found) = find_to_change(&app, &caller, &path)?;
    let Some(opinion) = opinion(input.event.as_deref())? else {
        return Err(ApiError::Sentences(vec!["event is missing".to_owned()]));
    };
    let found = actions::submit(
        &app,
        &caller,
        &repository,
        &pull,
        &found,
        opinion,
        input.body,
    )
    .await?;
    show(&app, &repository, &pull, &found)
}

async fn dismiss(
    State(app): State<App>,
    caller: Caller,
    Path(path): ReviewPath,
    Input(input): Input<DismissInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, pull, found) = find_to_change(&app, &caller, &path)?;
    let message = input.message.filter(|message| !message.trim().is_empty());
    let Some(message) = message else {
        return Err(ApiError::Sentences(vec!["message is missing".to_owned()]));
    };
    let found = actions::dismiss(&app, &caller, &repository, &pull, &found, message).await?;
    show(&app, &repository, &pull, &found)
}

async fn comments(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): ReviewPath,
) -> Result<Response, ApiError> {
    let (repository, pull, found) = find(&app, &caller, &path)?;
    let viewer = caller.user.as_ref().map(|user| user.id);
    app.show(|view| {
        let all = review_threads::comments_of_review(view.connection, found.id, viewer)?;
        let total = all.len();
        let items: Result<Vec<_>, _> = paging
            .of(all)
            .iter()
            .map(|comment| review_comments::comment(view, &repository, &pull, comment))
            .collect();
        Ok(paging.answer(items?, total))
    })
}

fn show(
    app: &App,
    repository: &Repository,
    pull: &Pull,
    found: &Review,
) -> Result<Json<Value>, ApiError> {
    Ok(Json(
        app.show(|view| review(view, repository, pull, found))?,
    ))
}
