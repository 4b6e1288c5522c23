//! Branch protection and rulesets as JSON.

use super::users;
use crate::store::branch_protections::{BranchProtection, RequiredChecks, RequiredReviews};
use crate::store::rulesets::Ruleset;
use crate::urls::encoded;
use crate::views::prelude::*;

/// `branch-protection` in GitHub's description.
pub(crate) fn protection(
    view: View<'_>,
    repository: &Repository,
    branch: &str,
    found: &BranchProtection,
) -> Result<Value> {
    let url = protection_url(view, repository, branch);
    let mut body = json!({
        "url": url,
        "required_signatures": {
            "url": format!("{url}/required_signatures"),
            "enabled": found.signatures,
        },
        "enforce_admins": admins(&url, found),
        "required_linear_history": { "enabled": found.linear_history },
        "allow_force_pushes": { "enabled": found.force_pushes },
        "allow_deletions": { "enabled": found.deletions },
        "block_creations": { "enabled": found.block_creations },
        "required_conversation_resolution": { "enabled": found.conversation_resolution },
        "lock_branch": { "enabled": found.lock_branch },
        "allow_fork_syncing": { "enabled": found.fork_syncing },
    });
    if let Some(required) = &found.checks {
        body["required_status_checks"] = checks(&url, required);
    }
    if let Some(required) = &found.reviews {
        body["required_pull_request_reviews"] = reviews(view, &url, required)?;
    }
    if let Some(users) = &found.push_users {
        body["restrictions"] = restrictions(view, &url, users)?;
    }
    Ok(body)
}

pub(crate) fn protection_url(view: View<'_>, repository: &Repository, branch: &str) -> String {
    view.api(
        repository,
        &format!("/branches/{}/protection", encoded(branch)),
    )
}

pub(crate) fn admins(url: &str, found: &BranchProtection) -> Value {
    json!({ "url": format!("{url}/enforce_admins"), "enabled": found.enforce_admins })
}

pub(crate) fn checks(url: &str, required: &RequiredChecks) -> Value {
    let url = format!("{url}/required_status_checks");
    let contexts: Vec<&str> = required
        .checks
        .iter()
        .map(|check| check.context.as_str())
        .collect();
    let listed: Vec<Value> = required
        .checks
        .iter()
        .map(|check| json!({ "context": check.context, "app_id": check.app_id }))
        .collect();
    json!({
        "url": url,
        "strict": required.strict,
        "contexts": contexts,
        "contexts_url": format!("{url}/contexts"),
        "checks": listed,
    })
}

pub(crate) fn reviews(view: View<'_>, url: &str, required: &RequiredReviews) -> Result<Value> {
    let url = format!("{url}/required_pull_request_reviews");
    let mut body = json!({
        "url": url,
        "dismiss_stale_reviews": required.dismiss_stale,
        "require_code_owner_reviews": required.code_owners,
        "require_last_push_approval": required.last_push_approval,
        "required_approving_review_count": required.approvals,
    });
    if let Some(ids) = &required.dismissal_users {
        let restrictions = format!(
            "{}/dismissal_restrictions",
            url.trim_end_matches("/required_pull_request_reviews")
        );
        body["dismissal_restrictions"] = json!({
            "url": restrictions,
            "users_url": format!("{restrictions}/users"),
            "teams_url": format!("{restrictions}/teams"),
            "users": accounts(view, ids)?,
            "teams": [],
            "apps": [],
        });
    }
    if !required.bypass_users.is_empty() {
        body["bypass_pull_request_allowances"] = json!({
            "users": accounts(view, &required.bypass_users)?,
            "teams": [],
            "apps": [],
        });
    }
    Ok(body)
}

pub(crate) fn restrictions(view: View<'_>, url: &str, ids: &[i64]) -> Result<Value> {
    let url = format!("{url}/restrictions");
    Ok(json!({
        "url": url,
        "users_url": format!("{url}/users"),
        "teams_url": format!("{url}/teams"),
        "apps_url": format!("{url}/apps"),
        "users": accounts(view, ids)?,
        "teams": [],
        "apps": [],
    }))
}

fn accounts(view: View<'_>, ids: &[i64]) -> Result<Vec<Value>> {
    ids.iter().map(|id| users::by_id(view, *id)).collect()
}

pub(crate) fn ruleset(
    view: View<'_>,
    repository: &Repository,
    found: &Ruleset,
    with_rules: bool,
) -> Value {
    let id = found.id;
    let api = view.api(repository, &format!("/rulesets/{id}"));
    let page = view.page(repository, &format!("/rules/{id}"));
    let mut body = json!({
        "id": found.id,
        "name": found.name,
        "target": found.target.as_str(),
        "source_type": "Repository",
        "source": repository.full_name(),
        "enforcement": found.enforcement.as_str(),
        "node_id": node_id(Kind::Ruleset, found.id),
        "_links": { "self": { "href": api }, "html": { "href": page } },
        "created_at": found.created_at,
        "updated_at": found.updated_at,
    });
    if with_rules {
        body["bypass_actors"] = found.bypass_actors.clone();
        body["conditions"] = found.conditions.clone();
        body["rules"] = found.rules.clone();
    }
    body
}
