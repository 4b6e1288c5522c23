//! Branches.

use super::prelude::*;
use crate::actions::rules;
use crate::urls::{encoded, encoded_path};
use crate::views::commits::commit;
use crate::views::{View, merged};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/branches", get(list))
        .route("/repos/{owner}/{repo}/branches/{branch}", get(one))
}

async fn list(call: Call) -> Answer {
    let (repository, git) = call.git()?;
    let branches = git.refs(&["refs/heads"]).await?;
    call.list(branches, |view, found| {
        let branch = found.name.trim_start_matches("refs/heads/");
        let url = view.api(&repository, &format!("/commits/{}", found.oid));
        let body = json!({
            "name": branch,
            "commit": { "sha": found.oid.as_str(), "url": url },
        });
        Ok(merged(body, protection(view, &repository, branch)?))
    })
}

async fn one(call: Call) -> Answer {
    let (repository, git) = call.git()?;
    let branch = call.path("branch");
    let missing = || ApiError::refused(StatusCode::NOT_FOUND, "Branch not found");
    let oid = git.branch(branch).await?.ok_or_else(missing)?;
    let head = git.commit(&oid).await?.ok_or_else(missing)?;
    call.show(|view| {
        let body = json!({
            "name": branch,
            "commit": commit(view, &repository, &head)?,
            "_links": {
                "self": view.api(&repository, &format!("/branches/{}", encoded(branch))),
                "html": view.page(&repository, &format!("/tree/{}", encoded_path(branch))),
            },
        });
        Ok(merged(body, protection(view, &repository, branch)?))
    })
}

/// Whether rules apply to a branch, and which.
fn protection(view: View<'_>, repository: &Repository, branch: &str) -> Result<Value> {
    let found = rules::protection_of(view.conn, repository.id, branch)?;
    let is_ruled = !rules::for_branch(view.conn, repository, branch)?.is_empty();
    let checks = found.as_ref().and_then(|found| found.checks.as_ref());
    let level = if checks.is_some() {
        "non_admins"
    } else {
        "off"
    };
    let checks = checks.map_or(&[][..], |checks| &checks.checks);
    let contexts: Vec<&str> = checks.iter().map(|check| check.context.as_str()).collect();
    let listed = checks
        .iter()
        .map(|check| json!({ "context": check.context, "app_id": check.app_id }));
    Ok(json!({
        "protected": is_ruled,
        "protection": {
            "enabled": found.is_some(),
            "required_status_checks": {
                "enforcement_level": level,
                "contexts": contexts,
                "checks": listed.collect::<Vec<_>>(),
            },
        },
        "protection_url": crate::views::rules::protection_url(view, repository, branch),
    }))
}
