mod body;
mod files;
mod list;
mod merging;
mod reviewers;

use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::Value;

use crate::actions::pulls::{self as actions, HeadName, NewPullRequest, PullChange};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::input::{Input, nullable};
use crate::rest::media::Media;
use crate::store::pulls::{self, Pull};
use crate::store::repositories::{Permission, Repository};

pub(crate) use body::{full, simple};

pub(crate) fn routes() -> Router<App> {
    const ONE: &str = "/repos/{owner}/{repo}/pulls/{number}";
    Router::new()
        .route("/repos/{owner}/{repo}/pulls", get(list::list).post(create))
        .route(ONE, get(one).patch(update))
        .route(&format!("{ONE}/commits"), get(files::list_commits))
        .route(&format!("{ONE}/files"), get(files::files))
        .route(
            &format!("{ONE}/merge"),
            get(merging::is_merged).put(merging::merge),
        )
        .route(
            &format!("{ONE}/requested_reviewers"),
            get(reviewers::list)
                .post(reviewers::request)
                .delete(reviewers::withdraw),
        )
        .route(&format!("{ONE}/update-branch"), put(merging::update_branch))
        .route(
            "/repos/{owner}/{repo}/commits/{sha}/pulls",
            get(list::of_commit),
        )
}

/// The address of one pull request.
pub(crate) type PullPath = Path<(String, String, i64)>;

/// The repository and its pull request of that number.
pub(crate) fn find(
    app: &App,
    caller: &Caller,
    path: &(String, String, i64),
) -> Result<(Repository, Pull), ApiError> {
    let (owner, name, number) = path;
    app.read(|connection| {
        let repository = caller.repository(connection, owner, name, Permission::Read)?;
        let pull = pulls::by_number(connection, repository.id, *number)?;
        Ok((repository, pull.ok_or(ApiError::NotFound)?))
    })
}

/// The same for a request that changes something there.
pub(crate) fn find_to_change(
    app: &App,
    caller: &Caller,
    path: &(String, String, i64),
    needed: Permission,
) -> Result<(Repository, Pull), ApiError> {
    let (owner, name, _) = path;
    app.read(|connection| caller.repository_to_change(connection, owner, name, needed))?;
    find(app, caller, path)
}

#[derive(Deserialize)]
struct CreateInput {
    title: Option<String>,
    body: Option<String>,
    issue: Option<i64>,
    head: Option<String>,
    head_repo: Option<String>,
    base: Option<String>,
    draft: Option<bool>,
    maintainer_can_modify: Option<bool>,
}

#[derive(Deserialize)]
#[expect(
    clippy::option_option,
    reason = "the text may stay, change or be taken away"
)]
struct UpdateInput {
    title: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    body: Option<Option<String>>,
    state: Option<String>,
    base: Option<String>,
    maintainer_can_modify: Option<bool>,
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Input(input): Input<CreateInput>,
) -> Result<Response, ApiError> {
    let repository = app.read(|connection| {
        caller.repository_to_change(connection, &owner, &name, Permission::Read)
    })?;
    let needed = |field| ApiError::invalid("PullRequest", field, "missing_field", None);
    let head = input.head.ok_or_else(|| needed("head"))?;
    let new = NewPullRequest {
        title: input.title,
        body: input.body,
        issue: input.issue,
        head: HeadName::parse(&head, input.head_repo.as_deref()),
        base: input.base.ok_or_else(|| needed("base"))?,
        draft: input.draft.unwrap_or(false),
        maintainer_can_modify: input.maintainer_can_modify.unwrap_or(true),
    };
    let pull = Box::pin(actions::create(&app, &caller, &repository, new)).await?;
    let body = full(&app, Some(&caller), &repository, &pull).await?;
    let address = body["url"].as_str().unwrap_or_default().to_owned();
    let location = [(axum::http::header::LOCATION, address)];
    Ok((StatusCode::CREATED, location, Json(body)).into_response())
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path(path): PullPath,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repository, pull) = find(&app, &caller, &path)?;
    let media = Media::of(&headers);
    let content = match media {
        Media::Diff => actions::diff_text(&app, &repository, &pull).await?,
        Media::Patch => actions::mail_patches(&app, &repository, &pull).await?,
        Media::Json | Media::Raw | Media::Sha => {
            let body = full(&app, Some(&caller), &repository, &pull).await?;
            return Ok(Json(body).into_response());
        }
    };
    Ok(([(CONTENT_TYPE, media.content_type())], content).into_response())
}

async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(path): PullPath,
    Input(input): Input<UpdateInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, pull) = find_to_change(&app, &caller, &path, Permission::Read)?;
    let open = match input.state.as_deref() {
        None => None,
        Some("open") => Some(true),
        Some("closed") => Some(false),
        Some(_) => return Err(ApiError::invalid("PullRequest", "state", "invalid", None)),
    };
    let change = PullChange {
        title: input.title,
        body: input.body,
        open,
        base: input.base,
        maintainer_can_modify: input.maintainer_can_modify,
    };
    let pull = actions::update(&app, &caller, &repository, &pull, change).await?;
    Ok(Json(full(&app, Some(&caller), &repository, &pull).await?))
}
