use async_graphql::{Context, SimpleObject};

use super::{Repository, conversation};
use crate::actions::rules;
use crate::error::ApiError;
use crate::graphql::access::{access, read};
use crate::store::branch_protections::BranchProtection;
use crate::store::repositories::Permission;

/// What a branch's protection means for whoever asks.
#[derive(SimpleObject)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are the switches of GitHub's branch protection settings"
)]
pub(in crate::graphql) struct RefUpdateRule {
    allows_deletions: bool,
    allows_force_pushes: bool,
    blocks_creations: bool,
    pattern: String,
    required_approving_review_count: Option<i32>,
    required_status_check_contexts: Option<Vec<Option<String>>>,
    requires_code_owner_reviews: bool,
    requires_conversation_resolution: bool,
    requires_linear_history: bool,
    requires_signatures: bool,
    viewer_allowed_to_dismiss_reviews: bool,
    viewer_can_push: bool,
}

impl RefUpdateRule {
    pub(super) fn of(
        ctx: &Context<'_>,
        repository: &Repository,
        branch: &str,
    ) -> Result<Option<Self>, ApiError> {
        let row = read(ctx, |connection| {
            rules::protection_of(connection, repository.0.id, branch)
        })?;
        let Some(row) = row else { return Ok(None) };
        let may_write = conversation::permission(ctx, repository)? >= Permission::Write;
        Ok(Some(Self::new(ctx, row, may_write)))
    }

    fn new(ctx: &Context<'_>, row: BranchProtection, may_write: bool) -> Self {
        let viewer = access(ctx).caller.user.as_ref().map(|user| user.id);
        let is_among = |users: Option<&Vec<i64>>| {
            users.is_none_or(|users| viewer.is_some_and(|id| users.contains(&id)))
        };
        let reviews = row.reviews.as_ref();
        let dismissers = reviews.and_then(|reviews| reviews.dismissal_users.as_ref());
        Self {
            allows_deletions: row.deletions,
            allows_force_pushes: row.force_pushes,
            blocks_creations: row.block_creations,
            required_approving_review_count: reviews
                .and_then(|reviews| i32::try_from(reviews.approvals).ok()),
            requires_code_owner_reviews: reviews.is_some_and(|reviews| reviews.code_owners),
            requires_conversation_resolution: row.conversation_resolution,
            requires_linear_history: row.linear_history,
            requires_signatures: row.signatures,
            viewer_allowed_to_dismiss_reviews: may_write && is_among(dismissers),
            viewer_can_push: may_write && !row.lock_branch && is_among(row.push_users.as_ref()),
            required_status_check_contexts: row.checks.map(|checks| {
                let contexts = checks.checks.into_iter().map(|check| Some(check.context));
                contexts.collect()
            }),
            pattern: row.pattern,
        }
    }
}
