use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::milestones::{self as actions, Draft};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::input::Input;
use crate::rest::view::View;
use crate::rest::{Paging, users};
use crate::store::milestones::{self, Milestone};
use crate::store::repositories::{Permission, Repository};
use crate::store::users as user_rows;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/milestones", get(list).post(create))
        .route("/repos/{owner}/{repo}/milestones/{number}", get(one))
}

pub(crate) fn milestone(
    view: View<'_>,
    repository: &Repository,
    milestone: &Milestone,
) -> Result<Value, ApiError> {
    let api = view.api(repository, &format!("/milestones/{}", milestone.number));
    let creator = user_rows::by_id(view.connection, milestone.creator_id)?;
    let (open, closed) = milestones::counts(view.connection, milestone.id)?;
    Ok(json!({
        "url": api,
        "html_url": view.page(repository, &format!("/milestone/{}", milestone.number)),
        "labels_url": format!("{api}/labels"),
        "id": milestone.id,
        "node_id": node_id(Kind::Milestone, milestone.id),
        "number": milestone.number,
        "title": milestone.title,
        "description": milestone.description,
        "creator": users::simple(view.urls, &creator),
        "open_issues": open,
        "closed_issues": closed,
        "state": milestone.state,
        "created_at": milestone.created_at,
        "updated_at": milestone.updated_at,
        "due_on": milestone.due_on,
        "closed_at": milestone.closed_at,
    }))
}

#[derive(Deserialize)]
struct CreateInput {
    title: Option<String>,
    description: Option<String>,
    due_on: Option<String>,
}

async fn list(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let repository = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        let all = milestones::of_repository(view.connection, repository.id)?;
        let total = all.len();
        let items: Result<Vec<_>, _> = paging
            .of(all)
            .iter()
            .map(|found| milestone(view, &repository, found))
            .collect();
        Ok(paging.answer(items?, total))
    })
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, number)): Path<(String, String, i64)>,
) -> Result<Json<Value>, ApiError> {
    app.show(|view| {
        let repository = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        let found = milestones::by_number(view.connection, repository.id, number)?;
        milestone(view, &repository, &found.ok_or(ApiError::NotFound)?).map(Json)
    })
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name)): Path<(String, String)>,
    Input(input): Input<CreateInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = app.read(|connection| {
        caller.repository_to_change(connection, &owner, &name, Permission::Write)
    })?;
    let draft = Draft {
        title: input.title.unwrap_or_default(),
        description: input.description,
        due_on: input.due_on,
    };
    let created = actions::create(&app, &caller, &repository, draft).await?;
    let body = app.show(|view| milestone(view, &repository, &created))?;
    Ok((StatusCode::CREATED, Json(body)))
}
