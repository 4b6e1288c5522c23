use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::actions::rules;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, named_node_id};
use crate::rest::Paging;
use crate::rest::commits::{commit, open};
use crate::rest::view::View;
use crate::store::repositories::Repository;
use crate::urls::{encoded, encoded_path};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/branches", get(list))
        .route("/repos/{owner}/{repo}/branches/{branch}", get(one))
        .route("/repos/{owner}/{repo}/tags", get(tags))
}

/// Whether rules apply to a branch, and which.
struct Protection {
    enabled: bool,
    summary: Value,
    url: String,
}

async fn list(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let branches = git.refs(&["refs/heads"]).await?;
    app.show(|view| {
        let total = branches.len();
        let items = paging.of(branches).into_iter().map(|found| {
            let branch = found.name.trim_start_matches("refs/heads/");
            let protection = protection(view, &repository, branch)?;
            Ok(json!({
                "name": branch,
                "commit": {
                    "sha": found.oid.as_str(),
                    "url": view.api(&repository, &format!("/commits/{}", found.oid)),
                },
                "protected": protection.enabled,
                "protection": protection.summary,
                "protection_url": protection.url,
            }))
        });
        let items: Vec<Value> = items.collect::<Result<_, ApiError>>()?;
        Ok(paging.answer(items, total))
    })
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, name, branch)): Path<(String, String, String)>,
) -> Result<Json<Value>, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let missing = || ApiError::Refused {
        status: StatusCode::NOT_FOUND,
        message: "Branch not found".to_owned(),
    };
    let oid = git.branch(&branch).await?.ok_or_else(missing)?;
    let head = git.commit(&oid).await?.ok_or_else(missing)?;
    app.show(|view| {
        let protection = protection(view, &repository, &branch)?;
        Ok(Json(json!({
            "name": branch,
            "commit": commit(view, &repository, &head)?,
            "_links": {
                "self": view.api(&repository, &format!("/branches/{}", encoded(&branch))),
                "html": view.page(&repository, &format!("/tree/{}", encoded_path(&branch))),
            },
            "protected": protection.enabled,
            "protection": protection.summary,
            "protection_url": protection.url,
        })))
    })
}

async fn tags(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let mut found = git.refs(&["refs/tags"]).await?;
    // Newest names first, as GitHub sorts them.
    found.reverse();
    app.show(|view| {
        Ok(paging.answer_all(found, |tag| {
            let tag_name = tag.name.trim_start_matches("refs/tags/");
            json!({
                "name": tag_name,
                "zipball_url": view.api(&repository, &format!("/zipball/{}", tag.name)),
                "tarball_url": view.api(&repository, &format!("/tarball/{}", tag.name)),
                "commit": {
                    "sha": tag.peeled.as_str(),
                    "url": view.api(&repository, &format!("/commits/{}", tag.peeled)),
                },
                "node_id": named_node_id(Kind::Ref, repository.id, &tag.name),
            })
        }))
    })
}

fn protection(
    view: View<'_>,
    repository: &Repository,
    branch: &str,
) -> Result<Protection, ApiError> {
    let path = format!("/branches/{}/protection", encoded(branch));
    let found = rules::protection_of(view.connection, repository.id, branch)?;
    let is_ruled = !rules::for_branch(view.connection, repository, branch)?.is_empty();
    let checks = found.as_ref().and_then(|found| found.checks.as_ref());
    let checks = checks.map(|checks| checks.checks.as_slice());
    let level = if checks.is_some() {
        "non_admins"
    } else {
        "off"
    };
    let checks = checks.unwrap_or_default();
    let contexts: Vec<&str> = checks.iter().map(|check| check.context.as_str()).collect();
    let listed = checks
        .iter()
        .map(|check| json!({ "context": check.context, "app_id": check.app_id }));
    Ok(Protection {
        enabled: is_ruled,
        summary: json!({
            "enabled": found.is_some(),
            "required_status_checks": {
                "enforcement_level": level,
                "contexts": contexts,
                "checks": listed.collect::<Vec<_>>(),
            },
        }),
        url: view.api(repository, &path),
    })
}
