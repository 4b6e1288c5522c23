use async_graphql::{Context, Object, Result};

use super::{
    PullRequest, PullRequestReview, conversation, pull_request_changes as changes,
    pull_request_reviews as opinions,
};
use crate::store::repositories::Permission;

/// The fields of a pull request that depend on who asks.
pub(super) struct ViewersPullRequest(pub(super) PullRequest);

#[Object]
impl ViewersPullRequest {
    async fn viewer_can_delete_head_ref(&self, ctx: &Context<'_>) -> Result<bool> {
        match self.0.head(ctx)? {
            Some(head) => Ok(conversation::permission(ctx, &head)? >= Permission::Write),
            None => Ok(false),
        }
    }

    async fn viewer_can_disable_auto_merge(&self, ctx: &Context<'_>) -> Result<bool> {
        let enabled = self.0.row.auto_merge.is_some();
        Ok(enabled && conversation::permission(ctx, &self.0.repository)? >= Permission::Write)
    }

    async fn viewer_can_enable_auto_merge(&self, ctx: &Context<'_>) -> Result<bool> {
        let possible = self.0.repository.0.allow_auto_merge
            && self.0.row.is_open()
            && self.0.row.auto_merge.is_none();
        Ok(possible && conversation::permission(ctx, &self.0.repository)? >= Permission::Write)
    }

    async fn viewer_can_merge_as_admin(&self, ctx: &Context<'_>) -> Result<bool> {
        let admin = conversation::permission(ctx, &self.0.repository)? == Permission::Admin;
        Ok(admin && self.0.row.is_open() && changes::viewer_bypasses_all(ctx, &self.0).await?)
    }

    async fn viewer_can_update(&self, ctx: &Context<'_>) -> Result<bool> {
        self.0.viewer_can_change(ctx)
    }

    async fn viewer_can_update_branch(&self, ctx: &Context<'_>) -> Result<bool> {
        if !self.0.row.is_open() || changes::counts(ctx, &self.0).await?.behind == 0 {
            return Ok(false);
        }
        match self.0.head(ctx)? {
            Some(head) => Ok(conversation::permission(ctx, &head)? >= Permission::Write),
            None => Ok(false),
        }
    }

    async fn viewer_did_author(&self, ctx: &Context<'_>) -> bool {
        conversation::viewer_did_author(ctx, self.0.row.issue.author_id)
    }

    async fn viewer_latest_review(&self, ctx: &Context<'_>) -> Result<Option<PullRequestReview>> {
        Ok(opinions::of_viewer(ctx, &self.0)?)
    }
}
