//! What happened in a repository, as a feed.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use axum::routing::get;
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::Paging;
use crate::rest::view::View;
use crate::store::events::{self, Event};
use crate::store::repositories::{Permission, Repository};
use crate::store::users::{self, User};
use crate::webhooks::payload;

/// GitHub shows as many.
const MOST_EVENTS: usize = 300;

/// How often clients should look, in seconds.
const POLL_INTERVAL: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-poll-interval"),
    HeaderValue::from_static("60"),
);

/// What the feed has words for.
const TYPES: &[(&str, &str)] = &[
    ("create", "CreateEvent"),
    ("delete", "DeleteEvent"),
    ("issue_comment", "IssueCommentEvent"),
    ("issues", "IssuesEvent"),
    ("pull_request", "PullRequestEvent"),
    ("pull_request_review", "PullRequestReviewEvent"),
    (
        "pull_request_review_comment",
        "PullRequestReviewCommentEvent",
    ),
    ("push", "PushEvent"),
];

pub(crate) fn routes() -> Router<App> {
    Router::new().route("/repos/{owner}/{repo}/events", get(of_repository))
}

async fn of_repository(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo)): Path<(String, String)>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let kinds: Vec<&str> = TYPES.iter().map(|(kind, _)| *kind).collect();
    let (repository, found) = app.read(|connection| {
        let repository = caller.repository(connection, &owner, &repo, Permission::Read)?;
        let found = events::latest(connection, repository.id, &kinds, MOST_EVENTS)?;
        Ok((repository, found))
    })?;
    let total = found.len();
    let mut bodies = Vec::new();
    for event in paging.of(found) {
        if let Some(told) = told(&app, &event).await? {
            let body = app.show(|view| body(view, &repository, &event, &told))?;
            bodies.push(body);
        }
    }
    let mut response = paging.answer(bodies, total);
    let (name, value) = POLL_INTERVAL;
    response.headers_mut().insert(name, value);
    Ok(response)
}

/// What a webhook would tell, without what the feed says elsewhere. None for
/// what is gone.
async fn told(app: &App, event: &Event) -> Result<Option<Value>, ApiError> {
    if event.kind == "push" {
        let data = event.data.as_ref();
        let text = |key: &str| data.map_or(Value::Null, |data| data[key].clone());
        return Ok(Some(json!({
            "repository_id": event.repository_id,
            "push_id": event.id,
            "ref": text("ref"),
            "head": text("after"),
            "before": text("before"),
        })));
    }
    let Some(mut told) = payload::of(app, event).await? else {
        return Ok(None);
    };
    if let Value::Object(fields) = &mut told {
        for elsewhere in ["repository", "organization", "sender"] {
            fields.remove(elsewhere);
        }
        if let ("create" | "delete", Some(data)) = (event.kind.as_str(), &event.data) {
            fields.insert("full_ref".to_owned(), data["ref"].clone());
        }
    }
    Ok(Some(told))
}

/// `event` in GitHub's description.
fn body(
    view: View<'_>,
    repository: &Repository,
    event: &Event,
    told: &Value,
) -> Result<Value, ApiError> {
    let user = match event.actor_id {
        Some(id) => users::by_id(view.connection, id)?,
        None => repository.owner.clone(),
    };
    let kind = TYPES.iter().find(|(kind, _)| *kind == event.kind);
    Ok(json!({
        "id": event.id.to_string(),
        "type": kind.map(|(_, name)| name),
        "actor": actor(view, &user),
        "repo": {
            "id": repository.id,
            "name": repository.full_name(),
            "url": view.api(repository, ""),
        },
        "payload": told,
        "public": !repository.private,
        "created_at": event.created_at,
    }))
}

fn actor(view: View<'_>, user: &User) -> Value {
    json!({
        "id": user.id,
        "login": user.login,
        "display_login": user.login,
        "gravatar_id": "",
        "url": view.urls.api(&format!("/users/{}", user.login)),
        "avatar_url": view.urls.page(&format!("/avatars/{}", user.login)),
    })
}
