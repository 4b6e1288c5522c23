use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::repositories as actions;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::input::Input;
use crate::rest::view::View;
use crate::rest::{Paging, repositories::permissions, users};
use crate::store::repositories::{self, Permission, Repository};
use crate::store::users::{self as user_rows, User, UserKind};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/collaborators", get(list))
        .route(
            "/repos/{owner}/{repo}/collaborators/{login}",
            get(is_one).put(add).delete(remove),
        )
        .route(
            "/repos/{owner}/{repo}/collaborators/{login}/permission",
            get(permission),
        )
}

#[derive(Deserialize)]
struct AddInput {
    permission: Option<String>,
}

async fn list(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let repository = caller.repository(view.connection, &owner, &name, Permission::Write)?;
        let mut all = Vec::new();
        if repository.owner.kind != UserKind::Organization {
            all.push((repository.owner.clone(), Permission::Admin));
        }
        all.extend(repositories::collaborators(view.connection, repository.id)?);
        Ok(paging.answer_all(all, |(user, given)| collaborator(view, &user, given)))
    })
}

async fn is_one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, login)): Path<(String, String, String)>,
) -> Result<StatusCode, ApiError> {
    app.read(|connection| {
        let repository = caller.repository(connection, &owner, &name, Permission::Write)?;
        let user = user_rows::by_login(connection, &login)?.ok_or(ApiError::NotFound)?;
        match repositories::association(connection, &repository, &user)? {
            "NONE" => Err(ApiError::NotFound),
            _ => Ok(StatusCode::NO_CONTENT),
        }
    })
}

async fn permission(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, login)): Path<(String, String, String)>,
) -> Result<Json<Value>, ApiError> {
    app.show(|view| {
        let repository = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        let user = user_rows::by_login(view.connection, &login)?.ok_or(ApiError::NotFound)?;
        let given = repositories::permission(view.connection, &repository, Some(&user))?;
        Ok(Json(json!({
            "permission": coarse(given),
            "role_name": given.as_str(),
            "user": collaborator(view, &user, given),
        })))
    })
}

async fn add(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, login)): Path<(String, String, String)>,
    Input(input): Input<AddInput>,
) -> Result<StatusCode, ApiError> {
    let given = match input.permission.as_deref() {
        None | Some("push" | "write") => Permission::Write,
        Some("pull" | "read") => Permission::Read,
        Some("triage") => Permission::Triage,
        Some("maintain") => Permission::Maintain,
        Some("admin") => Permission::Admin,
        Some(_) => {
            return Err(ApiError::invalid(
                "Repository",
                "permission",
                "invalid",
                None,
            ));
        }
    };
    let (repository, user) = find(&app, &caller, (&owner, &name, &login))?;
    actions::set_collaborator(&app, &repository, &user, given).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, login)): Path<(String, String, String)>,
) -> Result<StatusCode, ApiError> {
    let (repository, user) = find(&app, &caller, (&owner, &name, &login))?;
    actions::remove_collaborator(&app, &repository, &user).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn find(
    app: &App,
    caller: &Caller,
    (owner, name, login): (&str, &str, &str),
) -> Result<(Repository, User), ApiError> {
    app.read(|connection| {
        let repository = caller.repository_to_change(connection, owner, name, Permission::Admin)?;
        let user = user_rows::by_login(connection, login)?.ok_or(ApiError::NotFound)?;
        Ok((repository, user))
    })
}

fn collaborator(view: View<'_>, user: &User, given: Permission) -> Value {
    let mut body = users::simple(view.urls, user);
    body["permissions"] = permissions(given);
    body["role_name"] = json!(given.as_str());
    body
}

/// Before there were finer roles, there were these.
fn coarse(permission: Permission) -> &'static str {
    match permission {
        Permission::None => "none",
        Permission::Read | Permission::Triage => "read",
        Permission::Write | Permission::Maintain => "write",
        Permission::Admin => "admin",
    }
}
