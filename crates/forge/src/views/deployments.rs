//! Deployments as JSON.

use super::users;
use crate::store::deployments::{Deployment, DeploymentStatus};
use crate::views::prelude::*;

/// `deployment` in GitHub's description.
pub(crate) fn deployment(view: View<'_>, repository: &Repository, found: &Deployment) -> Value {
    let api = view.api(repository, &format!("/deployments/{}", found.id));
    json!({
        "url": api,
        "id": found.id,
        "node_id": node_id(Kind::Deployment, found.id),
        "sha": found.sha,
        "ref": found.ref_name,
        "task": found.task,
        "payload": found.payload,
        "original_environment": found.environment,
        "environment": found.environment,
        "description": found.description,
        "creator": users::simple(view.urls, &found.creator),
        "created_at": found.created_at,
        "updated_at": found.updated_at,
        "statuses_url": format!("{api}/statuses"),
        "repository_url": view.api(repository, ""),
        "transient_environment": found.transient_environment,
        "production_environment": found.production_environment,
        "performed_via_github_app": null,
    })
}

/// `deployment-status`.
pub(crate) fn status(view: View<'_>, repository: &Repository, found: &DeploymentStatus) -> Value {
    let deployment = view.api(repository, &format!("/deployments/{}", found.deployment_id));
    json!({
        "url": format!("{deployment}/statuses/{}", found.id),
        "id": found.id,
        "node_id": node_id(Kind::Deployment, found.id),
        "state": found.state.as_str(),
        "creator": users::simple(view.urls, &found.creator),
        "description": found.description,
        "environment": found.environment,
        "target_url": found.log_url,
        "created_at": found.created_at,
        "updated_at": found.created_at,
        "deployment_url": deployment,
        "repository_url": view.api(repository, ""),
        "environment_url": found.environment_url,
        "log_url": found.log_url,
        "performed_via_github_app": null,
    })
}
