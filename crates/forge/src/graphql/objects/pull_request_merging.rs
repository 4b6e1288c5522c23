use async_graphql::{Context, Object, Result};

use super::{Actor, AutoMergeRequest, Commit, MergeQueue, MergeQueueEntry, PullRequest};
use crate::actions::pulls::{self as actions, Mergeability};
use crate::actions::rules::merges;
use crate::graphql::access::{access, read};
use crate::graphql::enums::{MergeStateStatus, MergeableState, PullRequestReviewDecision};
use crate::graphql::scalars::DateTime;

/// The fields of a pull request that are about its way into the base branch.
pub(super) struct Merging(pub(super) PullRequest);

#[Object]
impl Merging {
    async fn auto_merge_request(&self) -> Option<AutoMergeRequest> {
        self.0.row.auto_merge.as_ref()?;
        Some(AutoMergeRequest(self.0.clone()))
    }

    async fn can_be_rebased(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.mergeability(ctx).await?.rebaseable == Some(true))
    }

    async fn is_in_merge_queue(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.queue_entry(ctx)?.is_some())
    }

    async fn is_merge_queue_enabled(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.queue(ctx)?.is_some())
    }

    async fn merge_commit(&self, ctx: &Context<'_>) -> Result<Option<Commit>> {
        match &self.0.row.merged {
            Some(merged) => Commit::load(ctx, &self.0.repository, &merged.commit_sha).await,
            None => Ok(None),
        }
    }

    async fn merge_queue(&self, ctx: &Context<'_>) -> Result<Option<MergeQueue>> {
        self.queue(ctx)
    }

    async fn merge_queue_entry(&self, ctx: &Context<'_>) -> Result<Option<MergeQueueEntry>> {
        self.queue_entry(ctx)
    }

    async fn merge_state_status(&self, ctx: &Context<'_>) -> Result<MergeStateStatus> {
        Ok(self.mergeability(ctx).await?.state.into())
    }

    async fn mergeable(&self, ctx: &Context<'_>) -> Result<MergeableState> {
        Ok(match self.mergeability(ctx).await?.mergeable {
            Some(true) => MergeableState::Mergeable,
            Some(false) => MergeableState::Conflicting,
            None => MergeableState::Unknown,
        })
    }

    async fn merged(&self) -> bool {
        self.0.row.merged.is_some()
    }

    async fn merged_at(&self) -> Option<DateTime> {
        let merged = self.0.row.merged.as_ref()?;
        Some(merged.at.as_str().into())
    }

    async fn merged_by(&self) -> Option<Actor> {
        let merged = self.0.row.merged.as_ref()?;
        merged.by.clone().map(Actor::from)
    }

    async fn potential_merge_commit(&self, ctx: &Context<'_>) -> Result<Option<Commit>> {
        if !self.0.row.is_open() {
            return Ok(None);
        }
        match self.mergeability(ctx).await?.trial_commit_sha {
            Some(sha) => Commit::load(ctx, &self.0.repository, &sha).await,
            None => Ok(None),
        }
    }

    async fn review_decision(
        &self,
        ctx: &Context<'_>,
    ) -> Result<Option<PullRequestReviewDecision>> {
        let decision = read(ctx, |connection| {
            merges::review_decision(connection, &self.0.repository.0, &self.0.row)
        })?;
        Ok(decision.map(Into::into))
    }
}

impl Merging {
    fn queue(&self, ctx: &Context<'_>) -> Result<Option<MergeQueue>> {
        MergeQueue::of(ctx, &self.0.repository, &self.0.row.base_ref)
    }

    fn queue_entry(&self, ctx: &Context<'_>) -> Result<Option<MergeQueueEntry>> {
        match self.queue(ctx)? {
            Some(queue) => queue.entry_of(ctx, self.0.row.id()),
            None => Ok(None),
        }
    }

    async fn mergeability(&self, ctx: &Context<'_>) -> Result<Mergeability> {
        let app = &access(ctx).app;
        Ok(actions::mergeability(app, &self.0.repository.0, &self.0.row).await?)
    }
}
