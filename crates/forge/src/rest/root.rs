//! The API about itself.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Map, Value, json};

use crate::app::App;

/// Where things are, as GitHub's first page lists them.
const PLACES: [(&str, &str); 33] = [
    ("current_user_url", "/user"),
    (
        "current_user_authorizations_html_url",
        "/settings/connections/applications{/client_id}",
    ),
    ("authorizations_url", "/authorizations"),
    (
        "code_search_url",
        "/search/code?q={query}{&page,per_page,sort,order}",
    ),
    (
        "commit_search_url",
        "/search/commits?q={query}{&page,per_page,sort,order}",
    ),
    ("emails_url", "/user/emails"),
    ("emojis_url", "/emojis"),
    ("events_url", "/events"),
    ("feeds_url", "/feeds"),
    ("followers_url", "/user/followers"),
    ("following_url", "/user/following{/target}"),
    ("gists_url", "/gists{/gist_id}"),
    ("hub_url", "/hub"),
    (
        "issue_search_url",
        "/search/issues?q={query}{&page,per_page,sort,order}",
    ),
    ("issues_url", "/issues"),
    ("keys_url", "/user/keys"),
    (
        "label_search_url",
        "/search/labels?q={query}&repository_id={repository_id}{&page,per_page}",
    ),
    ("notifications_url", "/notifications"),
    ("organization_url", "/orgs/{org}"),
    (
        "organization_repositories_url",
        "/orgs/{org}/repos{?type,page,per_page,sort}",
    ),
    ("organization_teams_url", "/orgs/{org}/teams"),
    ("public_gists_url", "/gists/public"),
    ("rate_limit_url", "/rate_limit"),
    ("repository_url", "/repos/{owner}/{repo}"),
    (
        "repository_search_url",
        "/search/repositories?q={query}{&page,per_page,sort,order}",
    ),
    (
        "current_user_repositories_url",
        "/user/repos{?type,page,per_page,sort}",
    ),
    ("starred_url", "/user/starred{/owner}{/repo}"),
    ("starred_gists_url", "/gists/starred"),
    (
        "topic_search_url",
        "/search/topics?q={query}{&page,per_page}",
    ),
    ("user_url", "/users/{user}"),
    ("user_organizations_url", "/user/orgs"),
    (
        "user_repositories_url",
        "/users/{user}/repos{?type,page,per_page,sort}",
    ),
    (
        "user_search_url",
        "/search/users?q={query}{&page,per_page,sort,order}",
    ),
];

/// The versions of GitHub's API that the answers conform to.
const VERSIONS: [&str; 1] = ["2022-11-28"];

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/", get(places))
        .route("/meta", get(meta))
        .route("/versions", get(versions))
        .route("/zen", get(zen))
}

async fn places(State(app): State<App>) -> Json<Value> {
    let places: Map<_, _> = PLACES
        .iter()
        .map(|(key, path)| ((*key).to_owned(), json!(app.urls().api(path))))
        .collect();
    Json(Value::Object(places))
}

async fn meta() -> Json<Value> {
    Json(json!({"verifiable_password_authentication": false}))
}

async fn versions() -> Json<Value> {
    Json(json!(VERSIONS))
}

async fn zen() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/plain;charset=utf-8")],
        "Small steps reach far.",
    )
}
