//! Branch protection, and what it asks of an update.

use super::{Repo, app};
use crate::actions::rules;
use crate::graphql::prelude::*;
use crate::store::branch_protections::{BranchProtection, RequiredCheck};

/// What a branch asks of pushes and merges.
pub(crate) struct BranchProtectionRule(pub(crate) BranchProtection, pub(crate) Arc<Repository>);

impl Object for BranchProtectionRule {
    kind!("BranchProtectionRule");

    fn facts(&self, _: &Context) -> Result<Value, QueryError> {
        let row = &self.0;
        let (reviews, checks) = (row.reviews.clone().unwrap_or_default(), row.checks.as_ref());
        Ok(json!({
            "id": row.id,
            "node_id": node_id(Kind::BranchProtectionRule, row.id),
            "allows_deletions": row.deletions,
            "allows_force_pushes": row.force_pushes,
            "blocks_creations": row.block_creations,
            "dismisses_stale_reviews": reviews.dismiss_stale,
            "admin_enforced": row.enforce_admins,
            "lock_allows_fetch_and_merge": row.fork_syncing,
            "lock_branch": row.lock_branch,
            "pattern": row.pattern,
            "require_last_push_approval": reviews.last_push_approval,
            "required_approving_review_count": row.reviews.as_ref().map(|reviews| reviews.approvals),
            // Only rulesets ask for deployments here.
            "required_deployment_environments": [],
            "required_status_check_contexts": contexts(row),
            "requires_approving_reviews": row.reviews.is_some(),
            "requires_code_owner_reviews": reviews.code_owners,
            "requires_commit_signatures": row.signatures,
            "requires_conversation_resolution": row.conversation_resolution,
            "requires_deployments": false,
            "requires_linear_history": row.linear_history,
            "requires_status_checks": checks.is_some(),
            "requires_strict_status_checks": checks.is_some_and(|checks| checks.strict),
            "restricts_pushes": row.push_users.is_some(),
            "restricts_review_dismissals": reviews.dismissal_users.is_some(),
        }))
    }

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        match (field.name, &self.0.checks) {
            ("repository", _) => one(Repo(Arc::clone(&self.1))),
            ("requiredStatusChecks", Some(required)) => {
                all(required.checks.iter().cloned().map(Required))
            }
            ("requiredStatusChecks", None) => plain(Value::Null),
            _ => Ok(Output::Fact),
        }
    }
}

fn contexts(row: &BranchProtection) -> Option<Vec<&str>> {
    let checks = row.checks.as_ref()?.checks.iter();
    Some(checks.map(|check| check.context.as_str()).collect())
}

struct Required(RequiredCheck);

impl Object for Required {
    kind!("RequiredStatusCheckDescription");

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        match (field.name, self.0.app_id) {
            ("app", Some(id)) => app(cx, id),
            ("app", None) => plain(Value::Null),
            _ => plain(self.0.context.as_str()),
        }
    }
}

/// What a branch's protection means for the viewer.
pub(super) fn ref_update_rule(cx: &Context, repository: &Repository, branch: &str) -> Resolved {
    let row = cx.read(|conn| rules::protection_of(conn, repository.id, branch))?;
    let Some(row) = row else {
        return plain(Value::Null);
    };
    let may_write = cx.permission(repository)? >= Permission::Write;
    let is_among = |users: Option<&Vec<i64>>| {
        users.is_none_or(|users| cx.viewer_id().is_some_and(|id| users.contains(&id)))
    };
    let reviews = row.reviews.as_ref();
    let dismissers = reviews.and_then(|reviews| reviews.dismissal_users.as_ref());
    plain(json!({
        "allows_deletions": row.deletions,
        "allows_force_pushes": row.force_pushes,
        "blocks_creations": row.block_creations,
        "pattern": row.pattern,
        "required_approving_review_count": reviews.map(|reviews| reviews.approvals),
        "required_status_check_contexts": contexts(&row),
        "requires_code_owner_reviews": reviews.is_some_and(|reviews| reviews.code_owners),
        "requires_conversation_resolution": row.conversation_resolution,
        "requires_linear_history": row.linear_history,
        "requires_signatures": row.signatures,
        "viewer_allowed_to_dismiss_reviews": may_write && is_among(dismissers),
        "viewer_can_push": may_write && !row.lock_branch && is_among(row.push_users.as_ref()),
    }))
}
