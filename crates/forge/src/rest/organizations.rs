use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::{Paging, users};
use crate::store::repositories;
use crate::store::users::{self as user_rows, User, UserKind};
use crate::urls::Urls;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/user/orgs", get(own))
        .route("/users/{login}/orgs", get(of_user))
        .route("/orgs/{login}", get(one))
        .route("/orgs/{login}/members", get(members))
        .route("/orgs/{login}/members/{member}", get(is_member))
        .route("/orgs/{login}/teams", get(teams))
}

/// An organisation in a list: `organization-simple`.
fn simple(urls: &Urls, organization: &User) -> Value {
    let login = &organization.login;
    let api = urls.api(&format!("/orgs/{login}"));
    json!({
        "login": login,
        "id": organization.id,
        "node_id": node_id(Kind::Organization, organization.id),
        "url": api,
        "repos_url": format!("{api}/repos"),
        "events_url": format!("{api}/events"),
        "hooks_url": format!("{api}/hooks"),
        "issues_url": format!("{api}/issues"),
        "members_url": format!("{api}/members{{/member}}"),
        "public_members_url": format!("{api}/public_members{{/member}}"),
        "avatar_url": urls.page(&format!("/avatars/{login}")),
        "description": null,
    })
}

async fn own(State(app): State<App>, caller: Caller, paging: Paging) -> Result<Response, ApiError> {
    let user = caller.user()?;
    list(&app, &paging, user)
}

async fn of_user(
    State(app): State<App>,
    paging: Paging,
    Path(login): Path<String>,
) -> Result<Response, ApiError> {
    let user = app.read(|connection| Ok(user_rows::by_login(connection, &login)?))?;
    list(&app, &paging, &user.ok_or(ApiError::NotFound)?)
}

fn list(app: &App, paging: &Paging, user: &User) -> Result<Response, ApiError> {
    app.show(|view| {
        let all = user_rows::organizations_of(view.connection, user.id)?;
        Ok(paging.answer_all(all, |organization| simple(view.urls, &organization)))
    })
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path(login): Path<String>,
) -> Result<Json<Value>, ApiError> {
    app.show(|view| {
        let organization = find(view.connection, &login)?;
        let all = repositories::of_owner(view.connection, organization.id)?;
        let mut body = simple(view.urls, &organization);
        let more = json!({
            "name": organization.name.as_ref().unwrap_or(&organization.login),
            "is_verified": false,
            "has_organization_projects": false,
            "has_repository_projects": false,
            "public_repos": all.iter().filter(|repository| !repository.private).count(),
            "public_gists": 0,
            "followers": 0,
            "following": 0,
            "html_url": view.urls.page(&format!("/{}", organization.login)),
            "created_at": organization.created_at,
            "updated_at": organization.created_at,
            "archived_at": null,
            "type": "Organization",
        });
        if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
            body.extend(more);
        }
        if let Some(user) = &caller.user
            && user_rows::is_member(view.connection, organization.id, user.id)?
        {
            body["default_repository_permission"] = json!("read");
            body["members_can_create_repositories"] = json!(true);
        }
        Ok(Json(body))
    })
}

async fn members(
    State(app): State<App>,
    paging: Paging,
    Path(login): Path<String>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let organization = find(view.connection, &login)?;
        let all = user_rows::members_of(view.connection, organization.id)?;
        Ok(paging.answer_all(all, |user| users::simple(view.urls, &user)))
    })
}

async fn is_member(
    State(app): State<App>,
    Path((login, member)): Path<(String, String)>,
) -> Result<StatusCode, ApiError> {
    app.read(|connection| {
        let organization = find(connection, &login)?;
        let user = user_rows::by_login(connection, &member)?.ok_or(ApiError::NotFound)?;
        if user_rows::is_member(connection, organization.id, user.id)? {
            Ok(StatusCode::NO_CONTENT)
        } else {
            Err(ApiError::NotFound)
        }
    })
}

/// The forge has no teams: rights are given to users.
async fn teams(
    State(app): State<App>,
    paging: Paging,
    Path(login): Path<String>,
) -> Result<Response, ApiError> {
    app.read(|connection| find(connection, &login))?;
    Ok(paging.answer(Vec::new(), 0))
}

fn find(connection: &Connection, login: &str) -> Result<User, ApiError> {
    user_rows::by_login(connection, login)?
        .filter(|found| found.kind == UserKind::Organization)
        .ok_or(ApiError::NotFound)
}
