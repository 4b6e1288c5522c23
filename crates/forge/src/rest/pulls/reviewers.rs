use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{PullPath, find, find_to_change, simple};
use crate::actions::pulls as actions;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::input::Input;
use crate::rest::users;
use crate::store::repositories::Permission;
use crate::store::reviews;

#[derive(Deserialize)]
pub(super) struct ReviewersInput {
    #[serde(default)]
    reviewers: Vec<String>,
    #[serde(default)]
    team_reviewers: Vec<String>,
}

impl ReviewersInput {
    /// There are no teams here, so whoever names one names nobody.
    fn logins(self) -> Result<Vec<String>, ApiError> {
        if self.team_reviewers.is_empty() {
            return Ok(self.reviewers);
        }
        Err(ApiError::Unprocessable(
            "Could not resolve to a node with the global id of a team.".to_owned(),
        ))
    }
}

pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    Path(path): PullPath,
) -> Result<Json<Value>, ApiError> {
    let (_, pull) = find(&app, &caller, &path)?;
    app.show(|view| {
        let requests = reviews::requests(view.connection, pull.id())?;
        let users: Vec<_> = requests
            .iter()
            .map(|request| users::simple(view.urls, &request.user))
            .collect();
        Ok(Json(json!({ "users": users, "teams": [] })))
    })
}

pub(super) async fn request(
    State(app): State<App>,
    caller: Caller,
    Path(path): PullPath,
    Input(input): Input<ReviewersInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (repository, pull) = find_to_change(&app, &caller, &path, Permission::Read)?;
    let logins = input.logins()?;
    let pull = actions::request_reviews(&app, &caller, &repository, &pull, logins).await?;
    let body = app.show(|view| simple(view, Some(&caller), &repository, &pull))?;
    Ok((StatusCode::CREATED, Json(body)))
}

pub(super) async fn withdraw(
    State(app): State<App>,
    caller: Caller,
    Path(path): PullPath,
    Input(input): Input<ReviewersInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, pull) = find_to_change(&app, &caller, &path, Permission::Read)?;
    let logins = input.logins()?;
    let pull = actions::withdraw_review_requests(&app, &caller, &repository, &pull, logins).await?;
    Ok(Json(app.show(|view| {
        simple(view, Some(&caller), &repository, &pull)
    })?))
}
