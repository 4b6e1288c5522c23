use axum::extract::{Path, State};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::store::users::{self, User, UserKind};
use crate::urls::Urls;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/user", get(viewer))
        .route("/users/{login}", get(by_login))
}

async fn viewer(State(app): State<App>, caller: Caller) -> Result<Json<Value>, ApiError> {
    Ok(Json(full(app.urls(), caller.user()?)))
}

async fn by_login(
    State(app): State<App>,
    Path(login): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let found = app.read(|connection| Ok(users::by_login(connection, &login)?))?;
    let user = found.ok_or(ApiError::NotFound)?;
    Ok(Json(full(app.urls(), &user)))
}

/// A user inside another answer: `simple-user` in GitHub's description.
pub(crate) fn simple(urls: &Urls, user: &User) -> Value {
    let login = &user.login;
    let api = urls.api(&format!("/users/{login}"));
    json!({
        "login": login,
        "id": user.id,
        "node_id": node_id(user_node(user.kind), user.id),
        "avatar_url": urls.page(&format!("/avatars/{login}")),
        "gravatar_id": "",
        "url": api,
        "html_url": urls.page(&format!("/{login}")),
        "followers_url": format!("{api}/followers"),
        "following_url": format!("{api}/following{{/other_user}}"),
        "gists_url": format!("{api}/gists{{/gist_id}}"),
        "starred_url": format!("{api}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{api}/subscriptions"),
        "organizations_url": format!("{api}/orgs"),
        "repos_url": format!("{api}/repos"),
        "events_url": format!("{api}/events{{/privacy}}"),
        "received_events_url": format!("{api}/received_events"),
        "type": user.kind.as_str(),
        "site_admin": user.site_admin,
    })
}

fn full(urls: &Urls, user: &User) -> Value {
    let mut body = simple(urls, user);
    let more = json!({
        "name": user.name,
        "company": null,
        "blog": null,
        "location": null,
        "email": user.email,
        "hireable": null,
        "bio": null,
        "public_repos": 0,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": user.created_at,
        "updated_at": user.created_at,
    });
    if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
        body.extend(more);
    }
    body
}

fn user_node(kind: UserKind) -> Kind {
    match kind {
        UserKind::User => Kind::User,
        UserKind::Organization => Kind::Organization,
        UserKind::Bot => Kind::Bot,
    }
}
