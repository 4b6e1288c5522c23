use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::Paging;
use crate::rest::view::View;
use crate::store::repositories;
use crate::store::users::{self, User, UserKind};
use crate::urls::Urls;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/user", get(viewer))
        .route("/users", get(list))
        .route("/users/{login}", get(by_login))
}

/// Oneself: with what only oneself may know.
async fn viewer(State(app): State<App>, caller: Caller) -> Result<Json<Value>, ApiError> {
    let user = caller.user()?;
    app.show(|view| {
        let own = repositories::of_owner(view.connection, user.id)?;
        let private = own.iter().filter(|repository| repository.private).count();
        let mut body = full(view, user)?;
        let more = json!({
            "private_gists": 0,
            "total_private_repos": private,
            "owned_private_repos": private,
            "disk_usage": 0,
            "collaborators": 0,
            "two_factor_authentication": false,
        });
        extend(&mut body, more);
        Ok(Json(body))
    })
}

async fn by_login(
    State(app): State<App>,
    Path(login): Path<String>,
) -> Result<Json<Value>, ApiError> {
    app.show(|view| {
        let user = users::by_login(view.connection, &login)?.ok_or(ApiError::NotFound)?;
        full(view, &user).map(Json)
    })
}

async fn list(State(app): State<App>, paging: Paging) -> Result<Response, ApiError> {
    app.show(|view| {
        let all = users::all(view.connection)?;
        Ok(paging.answer_all(all, |user| simple(view.urls, &user)))
    })
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

/// `public-user` in GitHub's description.
fn full(view: View<'_>, user: &User) -> Result<Value, ApiError> {
    let own = repositories::of_owner(view.connection, user.id)?;
    let public = own.iter().filter(|repository| !repository.private).count();
    let mut body = simple(view.urls, user);
    let more = json!({
        "name": user.name,
        "company": null,
        "blog": null,
        "location": null,
        "email": user.email,
        "hireable": null,
        "bio": null,
        "public_repos": public,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": user.created_at,
        "updated_at": user.created_at,
    });
    extend(&mut body, more);
    Ok(body)
}

fn extend(body: &mut Value, more: Value) {
    if let (Value::Object(body), Value::Object(more)) = (body, more) {
        body.extend(more);
    }
}

fn user_node(kind: UserKind) -> Kind {
    match kind {
        UserKind::User => Kind::User,
        UserKind::Organization => Kind::Organization,
        UserKind::Bot => Kind::Bot,
    }
}
