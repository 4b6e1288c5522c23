mod body;
mod input;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get};
use axum::{Json, Router};
use rusqlite::Connection;
use serde_json::Value;

use crate::actions::protection as actions;
use crate::actions::rules;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::input::Input;
use crate::rest::view::View;
use crate::store::branch_protections::{BranchProtection, RequiredReviews};
use crate::store::refs;
use crate::store::repositories::{Permission, Repository};

use body::{address, admins, checks, protection, restrictions, reviews};
use input::{ChecksInput, PutInput, ReviewsInput};

pub(crate) fn routes() -> Router<App> {
    const ONE: &str = "/repos/{owner}/{repo}/branches/{branch}/protection";
    Router::new()
        .route(ONE, get(read).put(put).delete(remove))
        .route(
            &format!("{ONE}/required_status_checks"),
            get(read_checks).patch(patch_checks).delete(remove_checks),
        )
        .route(
            &format!("{ONE}/required_status_checks/contexts"),
            get(read_contexts),
        )
        .route(
            &format!("{ONE}/required_pull_request_reviews"),
            get(read_reviews)
                .patch(patch_reviews)
                .delete(remove_reviews),
        )
        .route(
            &format!("{ONE}/enforce_admins"),
            get(read_admins).post(enforce_admins).delete(exempt_admins),
        )
        .route(
            &format!("{ONE}/restrictions"),
            get(read_restrictions).merge(delete(remove_restrictions)),
        )
}

/// The address of a branch's protection.
type BranchPath = Path<(String, String, String)>;

fn not_protected() -> ApiError {
    ApiError::refused(StatusCode::NOT_FOUND, "Branch not protected")
}

/// The repository, when the caller administers it and has that branch.
fn administered(
    connection: &Connection,
    caller: &Caller,
    path: &(String, String, String),
) -> Result<Repository, ApiError> {
    let (owner, name, branch) = path;
    let repository = caller.repository(connection, owner, name, Permission::Admin)?;
    let ref_name = format!("refs/heads/{branch}");
    if refs::find(connection, repository.id, &ref_name)?.is_none() {
        return Err(ApiError::refused(StatusCode::NOT_FOUND, "Branch not found"));
    }
    Ok(repository)
}

fn find(
    app: &App,
    caller: &Caller,
    path: &(String, String, String),
) -> Result<(Repository, BranchProtection), ApiError> {
    app.read(|connection| {
        let repository = administered(connection, caller, path)?;
        let found = rules::protection_of(connection, repository.id, &path.2)?;
        Ok((repository, found.ok_or_else(not_protected)?))
    })
}

/// Shows a part of the protection, or says that it is not there.
fn show_part(
    app: &App,
    caller: &Caller,
    path: &(String, String, String),
    part: impl FnOnce(View<'_>, &str, &BranchProtection) -> Result<Option<Value>, ApiError>,
) -> Result<Json<Value>, ApiError> {
    let (repository, found) = find(app, caller, path)?;
    app.show(|view| {
        let url = address(view, &repository, &path.2);
        part(view, &url, &found)?
            .map(Json)
            .ok_or(ApiError::NotFound)
    })
}

/// Changes the protection that there is.
async fn change(
    app: &App,
    caller: &Caller,
    path: &(String, String, String),
    edit: impl FnOnce(&mut BranchProtection),
) -> Result<(), ApiError> {
    let (repository, mut found) = find(app, caller, path)?;
    edit(&mut found);
    actions::put(app, caller, &repository, found).await?;
    Ok(())
}

async fn read(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    let (repository, found) = find(&app, &caller, &path)?;
    Ok(Json(app.show(|view| {
        protection(view, &repository, &path.2, &found)
    })?))
}

async fn put(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
    Input(input): Input<PutInput>,
) -> Result<Json<Value>, ApiError> {
    let (repository, new) = app.read(|connection| {
        let repository = administered(connection, &caller, &path)?;
        let new = input.protection(connection, repository.id, &path.2)?;
        Ok((repository, new))
    })?;
    let new = actions::put(&app, &caller, &repository, new).await?;
    Ok(Json(app.show(|view| {
        protection(view, &repository, &path.2, &new)
    })?))
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<StatusCode, ApiError> {
    let (repository, found) = find(&app, &caller, &path)?;
    actions::delete(&app, &caller, &repository, found).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read_checks(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    show_part(&app, &caller, &path, |_, url, found| {
        Ok(found.checks.as_ref().map(|required| checks(url, required)))
    })
}

async fn read_contexts(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    show_part(&app, &caller, &path, |_, url, found| {
        let shown = found.checks.as_ref().map(|required| checks(url, required));
        Ok(shown.map(|shown| shown["contexts"].clone()))
    })
}

async fn patch_checks(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
    Input(input): Input<ChecksInput>,
) -> Result<Json<Value>, ApiError> {
    change(&app, &caller, &path, |found| {
        let required = found.checks.get_or_insert_default();
        if let Some(strict) = input.strict {
            required.strict = strict;
        }
        if let Some(checks) = input.required() {
            required.checks = checks;
        }
    })
    .await?;
    read_checks(State(app), caller, Path(path)).await
}

async fn remove_checks(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<StatusCode, ApiError> {
    change(&app, &caller, &path, |found| found.checks = None).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read_reviews(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    show_part(&app, &caller, &path, |view, url, found| {
        let required = found.reviews.as_ref();
        required
            .map(|required| reviews(view, url, required))
            .transpose()
    })
}

async fn patch_reviews(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
    Input(input): Input<ReviewsInput>,
) -> Result<Json<Value>, ApiError> {
    let (_, found) = find(&app, &caller, &path)?;
    let mut required = found.reviews.unwrap_or(RequiredReviews {
        approvals: 1,
        ..RequiredReviews::default()
    });
    app.read(|connection| input.apply(connection, &mut required))?;
    change(&app, &caller, &path, |found| found.reviews = Some(required)).await?;
    read_reviews(State(app), caller, Path(path)).await
}

async fn remove_reviews(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<StatusCode, ApiError> {
    change(&app, &caller, &path, |found| found.reviews = None).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read_admins(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    show_part(&app, &caller, &path, |_, url, found| {
        Ok(Some(admins(url, found)))
    })
}

async fn enforce_admins(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    change(&app, &caller, &path, |found| found.enforce_admins = true).await?;
    read_admins(State(app), caller, Path(path)).await
}

async fn exempt_admins(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<StatusCode, ApiError> {
    change(&app, &caller, &path, |found| found.enforce_admins = false).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read_restrictions(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<Json<Value>, ApiError> {
    show_part(&app, &caller, &path, |view, url, found| {
        let users = found.push_users.as_ref();
        users
            .map(|users| restrictions(view, url, users))
            .transpose()
    })
}

async fn remove_restrictions(
    State(app): State<App>,
    caller: Caller,
    Path(path): BranchPath,
) -> Result<StatusCode, ApiError> {
    change(&app, &caller, &path, |found| found.push_users = None).await?;
    Ok(StatusCode::NO_CONTENT)
}
