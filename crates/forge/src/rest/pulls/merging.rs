use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{PullPath, find, find_to_change};
use crate::actions::pulls::{self as actions, MergeOrder, UpdateMethod};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::input::Input;
use crate::store::pulls::MergeMethod;
use crate::store::repositories::Permission;

#[derive(Deserialize)]
pub(super) struct MergeInput {
    commit_title: Option<String>,
    commit_message: Option<String>,
    sha: Option<String>,
    merge_method: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct UpdateBranchInput {
    expected_head_sha: Option<String>,
}

pub(super) async fn is_merged(
    State(app): State<App>,
    caller: Caller,
    Path(path): PullPath,
) -> Result<StatusCode, ApiError> {
    let (_, pull) = find(&app, &caller, &path)?;
    match pull.merged {
        Some(_) => Ok(StatusCode::NO_CONTENT),
        None => Err(ApiError::NotFound),
    }
}

pub(super) async fn merge(
    State(app): State<App>,
    caller: Caller,
    Path(path): PullPath,
    Input(input): Input<MergeInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, pull) = find_to_change(&app, &caller, &path, Permission::Read)?;
    let method = match input.merge_method.as_deref() {
        None => MergeMethod::Merge,
        Some(text) => MergeMethod::parse(text)
            .ok_or_else(|| ApiError::invalid("PullRequest", "merge_method", "invalid", None))?,
    };
    let order = MergeOrder {
        method,
        expected_head: input.sha,
        title: input.commit_title,
        message: input.commit_message,
    };
    let pull = actions::merge(&app, &caller, &repository, &pull, &order).await?;
    let merged = pull
        .merged
        .ok_or_else(|| ApiError::internal("a merge was not recorded"))?;
    Ok(Json(json!({
        "sha": merged.commit_sha,
        "merged": true,
        "message": "Pull Request successfully merged",
    })))
}

pub(super) async fn update_branch(
    State(app): State<App>,
    caller: Caller,
    Path(path): PullPath,
    Input(input): Input<UpdateBranchInput>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (repository, pull) = find_to_change(&app, &caller, &path, Permission::Read)?;
    let expected = input.expected_head_sha.as_deref();
    let method = UpdateMethod::Merge;
    actions::update_branch(&app, &caller, &repository, &pull, expected, method).await?;
    let page = app.show(|view| Ok(view.page(&repository, &format!("/pull/{}", pull.number()))))?;
    let body = json!({ "message": "Updating pull request branch.", "url": page });
    Ok((StatusCode::ACCEPTED, Json(body)))
}
