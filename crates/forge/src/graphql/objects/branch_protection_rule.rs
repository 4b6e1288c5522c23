use async_graphql::{Context, ID, Object, Result, SimpleObject};

use super::{App, Repository};
use crate::graphql::access::read;
use crate::graphql::connection::connections;
use crate::graphql::scalars::database_id;
use crate::node_id::{Kind, node_id};
use crate::store::apps;
use crate::store::branch_protections::BranchProtection;

/// What a branch asks of pushes and merges.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct BranchProtectionRule {
    pub(in crate::graphql) row: BranchProtection,
    pub(in crate::graphql) repository: Repository,
}

connections! {
    BranchProtectionRules: BranchProtectionRuleConnection, BranchProtectionRuleEdge, BranchProtectionRule;
}

#[derive(SimpleObject)]
pub(in crate::graphql) struct RequiredStatusCheckDescription {
    app: Option<App>,
    context: String,
}

#[Object]
impl BranchProtectionRule {
    async fn allows_deletions(&self) -> bool {
        self.row.deletions
    }

    async fn allows_force_pushes(&self) -> bool {
        self.row.force_pushes
    }

    async fn blocks_creations(&self) -> bool {
        self.row.block_creations
    }

    async fn database_id(&self) -> Option<i32> {
        database_id(self.row.id)
    }

    async fn dismisses_stale_reviews(&self) -> bool {
        self.reviews_say(|reviews| reviews.dismiss_stale)
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::BranchProtectionRule, self.row.id))
    }

    async fn is_admin_enforced(&self) -> bool {
        self.row.enforce_admins
    }

    async fn lock_allows_fetch_and_merge(&self) -> bool {
        self.row.fork_syncing
    }

    async fn lock_branch(&self) -> bool {
        self.row.lock_branch
    }

    async fn pattern(&self) -> &str {
        &self.row.pattern
    }

    async fn repository(&self) -> Option<&Repository> {
        Some(&self.repository)
    }

    async fn require_last_push_approval(&self) -> bool {
        self.reviews_say(|reviews| reviews.last_push_approval)
    }

    async fn required_approving_review_count(&self) -> Option<i32> {
        let reviews = self.row.reviews.as_ref()?;
        i32::try_from(reviews.approvals).ok()
    }

    /// Only rulesets ask for deployments here.
    async fn required_deployment_environments(&self) -> Option<Vec<Option<String>>> {
        Some(Vec::new())
    }

    async fn required_status_check_contexts(&self) -> Option<Vec<Option<&str>>> {
        let checks = self.row.checks.as_ref()?;
        let contexts = checks
            .checks
            .iter()
            .map(|check| Some(check.context.as_str()));
        Some(contexts.collect())
    }

    async fn required_status_checks(
        &self,
        ctx: &Context<'_>,
    ) -> Result<Option<Vec<RequiredStatusCheckDescription>>> {
        let Some(required) = &self.row.checks else {
            return Ok(None);
        };
        let described = read(ctx, |connection| {
            let checks = required.checks.iter().map(|check| {
                let app = check.app_id.map(|id| apps::by_id(connection, id));
                Ok(RequiredStatusCheckDescription {
                    app: app.transpose()?.map(App),
                    context: check.context.clone(),
                })
            });
            checks.collect::<Result<Vec<_>, crate::error::ApiError>>()
        })?;
        Ok(Some(described))
    }

    async fn requires_approving_reviews(&self) -> bool {
        self.row.reviews.is_some()
    }

    async fn requires_code_owner_reviews(&self) -> bool {
        self.reviews_say(|reviews| reviews.code_owners)
    }

    async fn requires_commit_signatures(&self) -> bool {
        self.row.signatures
    }

    async fn requires_conversation_resolution(&self) -> bool {
        self.row.conversation_resolution
    }

    async fn requires_deployments(&self) -> bool {
        false
    }

    async fn requires_linear_history(&self) -> bool {
        self.row.linear_history
    }

    async fn requires_status_checks(&self) -> bool {
        self.row.checks.is_some()
    }

    async fn requires_strict_status_checks(&self) -> bool {
        self.row.checks.as_ref().is_some_and(|checks| checks.strict)
    }

    async fn restricts_pushes(&self) -> bool {
        self.row.push_users.is_some()
    }

    async fn restricts_review_dismissals(&self) -> bool {
        self.reviews_say(|reviews| reviews.dismissal_users.is_some())
    }
}

impl BranchProtectionRule {
    fn reviews_say(
        &self,
        say: impl FnOnce(&crate::store::branch_protections::RequiredReviews) -> bool,
    ) -> bool {
        self.row.reviews.as_ref().is_some_and(say)
    }
}
