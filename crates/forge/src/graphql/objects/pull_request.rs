use std::sync::Arc;

use async_graphql::{Context, ID, Object, Result};

use super::projects::{ProjectCardConnection, ProjectV2ItemConnection};
use super::{
    Actor, AutoMergeRequest, Commit, IssueCommentConnection, IssueConnection, LabelConnection,
    MergeQueue, MergeQueueEntry, Milestone, PullRequestChangedFileConnection,
    PullRequestCommitConnection, PullRequestReview, PullRequestReviewConnection,
    PullRequestReviewThreadConnection, ReactionGroup, Ref, Repository, RepositoryOwner,
    ReviewRequestConnection, StatusCheckRollup, SuggestedReviewer, UserConnection, conversation,
    pull_request_changes as changes, pull_request_reviews as opinions,
};
use crate::actions::pulls::{self as actions, Mergeability};
use crate::actions::rules::merges;
use crate::graphql::access::{access, read, urls};
use crate::graphql::connection::{Page, PageArguments, connections};
use crate::graphql::enums::{
    CommentAuthorAssociation, IssueCommentOrder, IssueOrder, LabelOrder, LockReason,
    MergeStateStatus, MergeableState, PullRequestReviewDecision, PullRequestReviewState,
    PullRequestState,
};
use crate::graphql::scalars::{BigInt, DateTime, GitObjectId, Uri, database_id, int};
use crate::node_id::{Kind, node_id};
use crate::store::pulls;
use crate::store::reactions::Subject;
use crate::store::repositories::Permission;

#[derive(Debug, Clone)]
pub(in crate::graphql) struct PullRequest {
    pub(in crate::graphql) row: Arc<pulls::Pull>,
    pub(in crate::graphql) repository: Repository,
}

connections! {
    PullRequests: PullRequestConnection, PullRequestEdge, PullRequest;
}

#[Object]
impl PullRequest {
    pub(super) async fn active_lock_reason(&self) -> Option<LockReason> {
        self.row
            .issue
            .lock_reason
            .as_deref()
            .and_then(LockReason::of)
    }

    async fn additions(&self, ctx: &Context<'_>) -> Result<i32> {
        Ok(changes::count(changes::counts(ctx, self).await?.additions))
    }

    pub(super) async fn assignees(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<UserConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Ok(conversation::assigned(ctx, &page, self.row.id())?)
    }

    async fn author(&self, ctx: &Context<'_>) -> Result<Option<Actor>> {
        Ok(conversation::actor(ctx, self.row.issue.author_id)?)
    }

    async fn author_association(&self, ctx: &Context<'_>) -> Result<CommentAuthorAssociation> {
        let author = self.row.issue.author_id;
        Ok(conversation::association(ctx, &self.repository, author)?)
    }

    async fn auto_merge_request(&self) -> Option<AutoMergeRequest> {
        self.row.auto_merge.as_ref()?;
        Some(AutoMergeRequest(self.clone()))
    }

    async fn base_ref(&self, ctx: &Context<'_>) -> Result<Option<Ref>> {
        self.repository.branch(ctx, &self.row.base_ref)
    }

    async fn base_ref_name(&self) -> &str {
        &self.row.base_ref
    }

    async fn base_ref_oid(&self) -> GitObjectId {
        self.row.base_sha.as_str().into()
    }

    async fn base_repository(&self) -> Option<&Repository> {
        Some(&self.repository)
    }

    async fn body(&self) -> &str {
        self.row.issue.body.as_deref().unwrap_or_default()
    }

    async fn body_text(&self) -> &str {
        self.row.issue.body.as_deref().unwrap_or_default()
    }

    async fn can_be_rebased(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.mergeability(ctx).await?.rebaseable == Some(true))
    }

    async fn changed_files(&self, ctx: &Context<'_>) -> Result<i32> {
        Ok(changes::count(
            changes::counts(ctx, self).await?.changed_files,
        ))
    }

    async fn checks_resource_path(&self) -> Uri {
        Uri(format!("{}/checks", self.path()))
    }

    async fn checks_url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&format!("{}/checks", self.path())))
    }

    pub(super) async fn closed(&self) -> bool {
        !self.row.is_open()
    }

    pub(super) async fn closed_at(&self) -> Option<DateTime> {
        self.row.issue.closed_at.as_deref().map(DateTime::from)
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn closing_issues_references(
        &self,
        ctx: &Context<'_>,
        order_by: Option<IssueOrder>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<IssueConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Ok(Some(changes::closing_issues(ctx, &page, self, order_by)?))
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn comments(
        &self,
        ctx: &Context<'_>,
        order_by: Option<IssueCommentOrder>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<IssueCommentConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let issue = &self.row.issue;
        Ok(conversation::comments_of(
            ctx,
            &page,
            order_by,
            &self.repository,
            issue,
        )?)
    }

    async fn commits(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<PullRequestCommitConnection> {
        let only_newest = last == Some(1) && after.is_none() && before.is_none();
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        changes::commits(ctx, &page, self, only_newest).await
    }

    async fn created_at(&self) -> DateTime {
        self.row.issue.created_at.as_str().into()
    }

    #[graphql(
        deprecation = "`databaseId` will be removed because it does not support 64-bit signed integer identifiers. Use `fullDatabaseId` instead."
    )]
    pub(super) async fn database_id(&self) -> Option<i32> {
        database_id(self.row.id())
    }

    async fn deletions(&self, ctx: &Context<'_>) -> Result<i32> {
        Ok(changes::count(changes::counts(ctx, self).await?.deletions))
    }

    async fn files(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<PullRequestChangedFileConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Ok(Some(changes::files(ctx, &page, self).await?))
    }

    async fn full_database_id(&self) -> Option<BigInt> {
        Some(BigInt(self.row.id()))
    }

    async fn head_ref(&self, ctx: &Context<'_>) -> Result<Option<Ref>> {
        match self.head(ctx)? {
            Some(repository) => repository.branch(ctx, &self.row.head_ref),
            None => Ok(None),
        }
    }

    async fn head_ref_name(&self) -> &str {
        &self.row.head_ref
    }

    async fn head_ref_oid(&self) -> GitObjectId {
        self.row.head_sha.as_str().into()
    }

    async fn head_repository(&self, ctx: &Context<'_>) -> Result<Option<Repository>> {
        self.head(ctx)
    }

    async fn head_repository_owner(&self) -> Option<RepositoryOwner> {
        Some(self.row.head_owner.clone().into())
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::PullRequest, self.row.id()))
    }

    async fn is_cross_repository(&self) -> bool {
        self.row.is_cross_repository()
    }

    async fn is_draft(&self) -> bool {
        self.row.draft
    }

    async fn is_in_merge_queue(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.queue_entry(ctx)?.is_some())
    }

    async fn is_merge_queue_enabled(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.queue(ctx)?.is_some())
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    pub(super) async fn labels(
        &self,
        ctx: &Context<'_>,
        order_by: Option<LabelOrder>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<LabelConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let (repository, id) = (&self.repository, self.row.id());
        Ok(Some(conversation::labels_of(
            ctx, &page, order_by, repository, id,
        )?))
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn latest_opinionated_reviews(
        &self,
        ctx: &Context<'_>,
        writers_only: Option<bool>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<PullRequestReviewConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let writers_only = writers_only.unwrap_or_default();
        Ok(Some(opinions::latest_opinions(
            ctx,
            &page,
            self,
            writers_only,
        )?))
    }

    async fn latest_reviews(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<PullRequestReviewConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Ok(Some(opinions::latest(ctx, &page, self)?))
    }

    pub(super) async fn locked(&self) -> bool {
        self.row.issue.locked
    }

    async fn maintainer_can_modify(&self) -> bool {
        self.row.maintainer_can_modify
    }

    async fn merge_commit(&self, ctx: &Context<'_>) -> Result<Option<Commit>> {
        match &self.row.merged {
            Some(merged) => Commit::load(ctx, &self.repository, &merged.commit_sha).await,
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
        self.row.merged.is_some()
    }

    async fn merged_at(&self) -> Option<DateTime> {
        let merged = self.row.merged.as_ref()?;
        Some(merged.at.as_str().into())
    }

    async fn merged_by(&self) -> Option<Actor> {
        let merged = self.row.merged.as_ref()?;
        merged.by.clone().map(Actor::from)
    }

    async fn milestone(&self, ctx: &Context<'_>) -> Result<Option<Milestone>> {
        Ok(conversation::milestone_of(
            ctx,
            &self.repository,
            &self.row.issue,
        )?)
    }

    async fn number(&self) -> i32 {
        int(self.row.number())
    }

    async fn participants(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<UserConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Ok(conversation::participants(ctx, &page, &self.row.issue)?)
    }

    async fn permalink(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }

    async fn potential_merge_commit(&self, ctx: &Context<'_>) -> Result<Option<Commit>> {
        if !self.row.is_open() {
            return Ok(None);
        }
        match self.mergeability(ctx).await?.trial_commit_sha {
            Some(sha) => Commit::load(ctx, &self.repository, &sha).await,
            None => Ok(None),
        }
    }

    async fn project_cards(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<ProjectCardConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Ok(ProjectCardConnection::empty(&page))
    }

    async fn project_items(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<ProjectV2ItemConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Ok(ProjectV2ItemConnection::empty(&page))
    }

    pub(super) async fn reaction_groups(
        &self,
        ctx: &Context<'_>,
    ) -> Result<Option<Vec<ReactionGroup>>> {
        Ok(conversation::reaction_groups(
            ctx,
            Subject::Issue,
            self.row.id(),
        )?)
    }

    async fn repository(&self) -> &Repository {
        &self.repository
    }

    pub(super) async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn review_decision(
        &self,
        ctx: &Context<'_>,
    ) -> Result<Option<PullRequestReviewDecision>> {
        let decision = read(ctx, |connection| {
            merges::review_decision(connection, &self.repository.0, &self.row)
        })?;
        Ok(decision.map(Into::into))
    }

    async fn review_requests(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<ReviewRequestConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Ok(Some(opinions::requests(ctx, &page, self)?))
    }

    async fn review_threads(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<PullRequestReviewThreadConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Ok(opinions::threads(ctx, &page, self)?)
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn reviews(
        &self,
        ctx: &Context<'_>,
        states: Option<Vec<PullRequestReviewState>>,
        author: Option<String>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<PullRequestReviewConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let author = author.as_deref();
        Ok(Some(opinions::reviews(
            ctx,
            &page,
            self,
            states.as_deref(),
            author,
        )?))
    }

    async fn state(&self) -> PullRequestState {
        if self.row.is_open() {
            PullRequestState::Open
        } else if self.row.merged.is_some() {
            PullRequestState::Merged
        } else {
            PullRequestState::Closed
        }
    }

    async fn status_check_rollup(&self, ctx: &Context<'_>) -> Result<Option<StatusCheckRollup>> {
        match Commit::load(ctx, &self.repository, &self.row.head_sha).await? {
            Some(commit) => StatusCheckRollup::of(ctx, &commit),
            None => Ok(None),
        }
    }

    async fn suggested_reviewers(
        &self,
        ctx: &Context<'_>,
    ) -> Result<Vec<Option<SuggestedReviewer>>> {
        Ok(opinions::suggested(ctx, self)?)
    }

    async fn title(&self) -> &str {
        &self.row.issue.title
    }

    async fn total_comments_count(&self, ctx: &Context<'_>) -> Result<Option<i32>> {
        Ok(Some(opinions::count_comments(ctx, self)?))
    }

    async fn updated_at(&self) -> DateTime {
        self.row.issue.updated_at.as_str().into()
    }

    pub(super) async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }

    pub(super) async fn viewer_can_close(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.row.is_open() && self.viewer_can_change(ctx)?)
    }

    async fn viewer_can_delete_head_ref(&self, ctx: &Context<'_>) -> Result<bool> {
        match self.head(ctx)? {
            Some(head) => Ok(conversation::permission(ctx, &head)? >= Permission::Write),
            None => Ok(false),
        }
    }

    async fn viewer_can_disable_auto_merge(&self, ctx: &Context<'_>) -> Result<bool> {
        let enabled = self.row.auto_merge.is_some();
        Ok(enabled && conversation::permission(ctx, &self.repository)? >= Permission::Write)
    }

    async fn viewer_can_enable_auto_merge(&self, ctx: &Context<'_>) -> Result<bool> {
        let possible = self.repository.0.allow_auto_merge
            && self.row.is_open()
            && self.row.auto_merge.is_none();
        Ok(possible && conversation::permission(ctx, &self.repository)? >= Permission::Write)
    }

    async fn viewer_can_merge_as_admin(&self, ctx: &Context<'_>) -> Result<bool> {
        let admin = conversation::permission(ctx, &self.repository)? == Permission::Admin;
        Ok(admin && self.row.is_open() && changes::viewer_bypasses_all(ctx, self).await?)
    }

    pub(super) async fn viewer_can_reopen(&self, ctx: &Context<'_>) -> Result<bool> {
        let reopenable = !self.row.is_open() && self.row.merged.is_none();
        Ok(reopenable && self.viewer_can_change(ctx)?)
    }

    async fn viewer_can_update(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.viewer_can_change(ctx)?)
    }

    async fn viewer_can_update_branch(&self, ctx: &Context<'_>) -> Result<bool> {
        if !self.row.is_open() || changes::counts(ctx, self).await?.behind == 0 {
            return Ok(false);
        }
        match self.head(ctx)? {
            Some(head) => Ok(conversation::permission(ctx, &head)? >= Permission::Write),
            None => Ok(false),
        }
    }

    async fn viewer_did_author(&self, ctx: &Context<'_>) -> bool {
        conversation::viewer_did_author(ctx, self.row.issue.author_id)
    }

    async fn viewer_latest_review(&self, ctx: &Context<'_>) -> Result<Option<PullRequestReview>> {
        Ok(opinions::of_viewer(ctx, self)?)
    }
}

impl PullRequest {
    pub(in crate::graphql) fn new(row: pulls::Pull, repository: Repository) -> Self {
        Self {
            row: Arc::new(row),
            repository,
        }
    }

    pub(super) fn path(&self) -> String {
        format!("{}/pull/{}", self.repository.path(), self.row.number())
    }

    /// Where the commits come from, if the caller may know that.
    fn head(&self, ctx: &Context<'_>) -> Result<Option<Repository>> {
        match self.row.head_repository_id {
            Some(id) if id == self.repository.0.id => Ok(Some(self.repository.clone())),
            Some(id) => Repository::visible(ctx, id),
            None => Ok(None),
        }
    }

    fn queue(&self, ctx: &Context<'_>) -> Result<Option<MergeQueue>> {
        MergeQueue::of(ctx, &self.repository, &self.row.base_ref)
    }

    fn queue_entry(&self, ctx: &Context<'_>) -> Result<Option<MergeQueueEntry>> {
        match self.queue(ctx)? {
            Some(queue) => queue.entry_of(ctx, self.row.id()),
            None => Ok(None),
        }
    }

    async fn mergeability(&self, ctx: &Context<'_>) -> Result<Mergeability> {
        let app = &access(ctx).app;
        Ok(actions::mergeability(app, &self.repository.0, &self.row).await?)
    }

    fn viewer_can_change(&self, ctx: &Context<'_>) -> Result<bool> {
        let author = self.row.issue.author_id;
        Ok(conversation::viewer_can_change(
            ctx,
            &self.repository,
            author,
        )?)
    }
}
