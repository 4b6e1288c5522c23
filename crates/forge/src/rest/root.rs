//! The API about itself, its users and its search.

use axum::Json;
use axum::extract::{ConnectInfo, State};
use serde_json::Map;

use super::prelude::*;
use crate::auth::Caller;
use crate::middleware::quota::{Resource, Who};
use crate::middleware::wire::Peer;
use crate::search::{self, Order, OrderBy};
use crate::store::{repositories, users};
use crate::views;

/// GitHub shows no more of a search, however often it is asked.
const MAX_SEARCH_RESULTS: usize = 1000;

/// Where things are, as GitHub's first page lists them.
const PLACES: &str = include_str!("places.txt");

/// The first page, which a nested router cannot have under its address with a slash at the end.
pub(crate) fn first_page() -> Router<App> {
    Router::new()
        .route("/api/v3", get(places))
        .route("/api/v3/", get(places))
}

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/meta", get(meta))
        .route("/rate_limit", get(rate_limit))
        .route("/search/issues", get(search_issues))
        .route("/user", get(viewer))
        .route("/users/{login}", get(user))
}

async fn places(State(app): State<App>) -> Json<Value> {
    let places = PLACES.lines().filter_map(|line| line.split_once(' '));
    let places: Map<_, _> = places
        .map(|(key, path)| (key.to_owned(), json!(app.urls().api(path))))
        .collect();
    Json(Value::Object(places))
}

async fn meta() -> Json<Value> {
    Json(json!({"verifiable_password_authentication": false}))
}

/// What the caller has left. Asking costs nothing.
async fn rate_limit(
    State(app): State<App>,
    caller: Caller,
    ConnectInfo(peer): ConnectInfo<Peer>,
) -> Json<Value> {
    let who = match &caller.user {
        Some(user) => Who::User(user.id),
        None => Who::Address(peer.address.ip()),
    };
    let standing = |resource| app.quota().standing(who, resource, app.timestamp()).body();
    let resources: Map<_, _> = Resource::ALL
        .into_iter()
        .map(|resource| (resource.name().to_owned(), standing(resource)))
        .collect();
    // The same as `core`, for clients from before there were others.
    let rate = standing(Resource::Core);
    Json(json!({"resources": resources, "rate": rate}))
}

async fn viewer(call: Call) -> Answer {
    let user = call.caller.user()?;
    call.show(|view| views::users::private(view, user))
}

async fn user(call: Call) -> Answer {
    call.show(|view| {
        let user = users::by_login(view.conn, call.path("login"))?;
        views::users::full(view, &user.ok_or(ApiError::NotFound)?)
    })
}

async fn search_issues(call: Call) -> Answer {
    let order = call.get("sort").map(|by| Order {
        by: OrderBy::parse(by),
        ascending: call.get("order") == Some("asc"),
    });
    let text = call.get("q").unwrap_or_default();
    let (body, reachable) = call.app.show(|view| {
        let mut found = search::issues(view.conn, &call.caller, text, order)?;
        let total = found.len();
        found.truncate(MAX_SEARCH_RESULTS);
        let reachable = found.len();
        let mut items = Vec::new();
        for issue in call.paging.page(found) {
            let repository = repositories::by_id(view.conn, issue.repository_id)?;
            let mut body = views::issues::issue(view, &repository, &issue)?;
            body["score"] = json!(1.0);
            if let Some(body) = body.as_object_mut() {
                // An item of a search does not say who closed it, and has no body rather than an
                // empty one.
                body.remove("closed_by");
                if body["body"].is_null() {
                    body.remove("body");
                }
            }
            items.push(body);
        }
        let body = json!({
            "total_count": total,
            "incomplete_results": false,
            "items": items,
            "search_type": "lexical",
        });
        Ok((body, reachable))
    })?;
    Ok(call.paging.wrap(body, reachable))
}
