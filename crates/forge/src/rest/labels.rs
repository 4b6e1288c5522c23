use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::actions::change::Change;
use crate::actions::labels::{self as actions, LabelEdit};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::Paging;
use crate::rest::input::{Input, nullable};
use crate::rest::issues::{IssuePath, LabelName, find, find_to_change};
use crate::rest::view::View;
use crate::store::issues::Issue;
use crate::store::labels::{self, Label};
use crate::store::repositories::{Permission, Repository};
use crate::urls::encoded;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/labels", get(list).post(create))
        .route(
            "/repos/{owner}/{repo}/labels/{name}",
            get(one).patch(update).delete(remove),
        )
        .route(
            "/repos/{owner}/{repo}/issues/{number}/labels",
            get(of_issue)
                .post(add_to_issue)
                .put(replace_on_issue)
                .delete(clear_issue),
        )
        .route(
            "/repos/{owner}/{repo}/issues/{number}/labels/{name}",
            delete(remove_from_issue),
        )
}

pub(crate) fn label(view: View<'_>, repository: &Repository, label: &Label) -> Value {
    json!({
        "id": label.id,
        "node_id": node_id(Kind::Label, label.id),
        "url": view.api(repository, &format!("/labels/{}", encoded(&label.name))),
        "name": label.name,
        "color": label.color,
        "default": label.is_default,
        "description": label.description,
    })
}

#[derive(Deserialize)]
struct CreateInput {
    name: Option<String>,
    color: Option<String>,
    description: Option<String>,
}

#[derive(Deserialize)]
struct UpdateInput {
    new_name: Option<String>,
    color: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    description: Option<Option<String>>,
}

/// `{"labels": […]}`, or the bare list.
struct IssueLabels(Vec<String>);

impl<'de> Deserialize<'de> for IssueLabels {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let list = match value {
            Value::Object(mut object) => object.remove("labels").unwrap_or_else(|| json!([])),
            other => other,
        };
        let names: Vec<LabelName> =
            serde_json::from_value(list).map_err(serde::de::Error::custom)?;
        Ok(Self(names.into_iter().map(|label| label.0).collect()))
    }
}

async fn list(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let repository = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        let all = labels::of_repository(view.connection, repository.id)?;
        Ok(paging.answer_all(all, |found| label(view, &repository, &found)))
    })
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, label_name)): Path<(String, String, String)>,
) -> Result<Json<Value>, ApiError> {
    app.show(|view| {
        let repository = caller.repository(view.connection, &owner, &name, Permission::Read)?;
        let found = labels::by_name(view.connection, repository.id, &label_name)?;
        let found = found.ok_or(ApiError::NotFound)?;
        Ok(Json(label(view, &repository, &found)))
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
    let edit = LabelEdit {
        name: None,
        color: input.color,
        description: input.description.map(Some),
    };
    let label_name = input.name.unwrap_or_default();
    let created = actions::create(&app, &caller, &repository, label_name, edit).await?;
    let body = app.show(|view| Ok(label(view, &repository, &created)))?;
    Ok((StatusCode::CREATED, Json(body)))
}

async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(path): Path<(String, String, String)>,
    Input(input): Input<UpdateInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, found) = find_label(&app, &caller, &path)?;
    let edit = LabelEdit {
        name: input.new_name,
        color: input.color,
        description: input.description,
    };
    let updated = actions::update(&app, &caller, &repository, found, edit).await?;
    app.show(|view| Ok(Json(label(view, &repository, &updated))))
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(path): Path<(String, String, String)>,
) -> Result<StatusCode, ApiError> {
    let (repository, found) = find_label(&app, &caller, &path)?;
    actions::delete(&app, &caller, &repository, found).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn of_issue(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): IssuePath,
) -> Result<Response, ApiError> {
    app.show(|view| {
        let (repository, issue) = find(view.connection, &caller, &path)?;
        let all = labels::of_issue(view.connection, issue.id)?;
        Ok(paging.answer_all(all, |found| label(view, &repository, &found)))
    })
}

async fn add_to_issue(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
    Input(names): Input<IssueLabels>,
) -> Result<Json<Value>, ApiError> {
    change_labels(&app, &caller, &path, move |change, issue| {
        actions::add(change, issue, &names.0)
    })
    .await
}

async fn replace_on_issue(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
    Input(names): Input<IssueLabels>,
) -> Result<Json<Value>, ApiError> {
    change_labels(&app, &caller, &path, move |change, issue| {
        actions::replace(change, issue, &names.0)
    })
    .await
}

async fn clear_issue(
    State(app): State<App>,
    caller: Caller,
    Path(path): IssuePath,
) -> Result<StatusCode, ApiError> {
    change_labels(&app, &caller, &path, |change, issue| {
        actions::replace(change, issue, &[])
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn remove_from_issue(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, number, label_name)): Path<(String, String, i64, String)>,
) -> Result<Json<Value>, ApiError> {
    let path = (owner, name, number);
    change_labels(&app, &caller, &path, move |change, issue| {
        let present = labels::of_issue(change.transaction, issue.id)?;
        let found = present
            .iter()
            .find(|found| found.name.eq_ignore_ascii_case(&label_name));
        let found = found.ok_or_else(|| ApiError::Refused {
            status: StatusCode::NOT_FOUND,
            message: "Label does not exist".to_owned(),
        })?;
        actions::remove(change, issue, found)
    })
    .await
}

/// Answers with the labels that the issue has then.
async fn change_labels(
    app: &App,
    caller: &Caller,
    path: &(String, String, i64),
    work: impl FnOnce(Change<'_>, &Issue) -> Result<(), ApiError> + Send + 'static,
) -> Result<Json<Value>, ApiError> {
    let (repository, issue) = find_to_change(app, caller, path, Permission::Triage)?;
    let (user, id) = (caller.user()?.clone(), issue.id);
    app.change(&repository, &user, move |change| work(change, &issue))
        .await?;
    app.show(|view| {
        let all = labels::of_issue(view.connection, id)?;
        let shown = all.iter().map(|found| label(view, &repository, found));
        Ok(Json(shown.collect()))
    })
}

fn find_label(
    app: &App,
    caller: &Caller,
    path: &(String, String, String),
) -> Result<(Repository, Label), ApiError> {
    let (owner, name, label_name) = path;
    app.read(|connection| {
        let repository = caller.repository_to_change(connection, owner, name, Permission::Write)?;
        let found = labels::by_name(connection, repository.id, label_name)?;
        Ok((repository, found.ok_or(ApiError::NotFound)?))
    })
}
