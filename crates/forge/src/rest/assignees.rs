use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::Value;

use crate::actions::assignees as actions;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::input::Input;
use crate::rest::issues::{IssuePath, find_to_change, issue};
use crate::rest::{Paging, users};
use crate::store::repositories::{self, Permission};
use crate::store::{issues, users as user_rows};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/assignees", get(candidates))
        .route("/repos/{owner}/{repo}/assignees/{login}", get(is_candidate))
        .route(
            "/repos/{owner}/{repo}/issues/{number}/assignees",
            post(add).delete(remove),
        )
}

#[derive(Deserialize)]
struct AssigneesInput {
    assignees: Option<Vec<String>>,
}

async fn candidates(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let repository = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        let all = repositories::assignable(view.connection, &repository)?;
        Ok(paging.answer_all(all, |user| users::simple(view.urls, &user)))
    })
}

async fn is_candidate(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, login)): Path<(String, String, String)>,
) -> Result<StatusCode, ApiError> {
    app.read(|connection| {
        let repository = caller.repository(connection, &owner, &name, Permission::Read)?;
        let user = user_rows::by_login(connection, &login)?.ok_or(ApiError::NotFound)?;
        if actions::is_assignable(connection, &repository, &user)? {
            Ok(StatusCode::NO_CONTENT)
        } else {
            Err(ApiError::NotFound)
        }
    })
}

async fn add(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
    Input(input): Input<AssigneesInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let body = change(&app, &caller, &path, input, true).await?;
    Ok((StatusCode::CREATED, body))
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
    Input(input): Input<AssigneesInput>,
) -> Result<Json<Value>, ApiError> {
    change(&app, &caller, &path, input, false).await
}

async fn change(
    app: &App,
    caller: &Caller,
    path: &(String, String, i64),
    input: AssigneesInput,
    is_added: bool,
) -> Result<Json<Value>, ApiError> {
    let (repository, found) = find_to_change(app, caller, path, Permission::Triage)?;
    let logins = input.assignees.unwrap_or_default();
    let (user, id) = (caller.user()?.clone(), found.id);
    app.change(&repository, &user, move |change| {
        if is_added {
            return actions::add_possible(change, &found, &logins);
        }
        for login in &logins {
            if let Some(user) = user_rows::by_login(change.transaction, login)? {
                actions::remove(change, &found, &user)?;
            }
        }
        Ok(())
    })
    .await?;
    app.show(|view| {
        let updated = issues::by_id(view.connection, id)?;
        issue(view, &repository, &updated).map(Json)
    })
}
