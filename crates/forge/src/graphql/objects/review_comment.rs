use async_graphql::{Context, ID, Object, Result};

use super::{
    Actor, Commit, PullRequest, PullRequestReview, ReactionGroup, Repository, conversation,
};
use crate::error::ApiError;
use crate::graphql::access::{read, urls};
use crate::graphql::connection::connections;
use crate::graphql::enums::{
    CommentAuthorAssociation, PullRequestReviewCommentState, PullRequestReviewThreadSubjectType,
};
use crate::graphql::scalars::{BigInt, DateTime, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::reactions::Subject;
use crate::store::review_threads::{self, Thread};
use crate::store::reviews::{self, ReviewState};

/// Something said about some lines.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct PullRequestReviewComment {
    pub(in crate::graphql) row: review_threads::ReviewComment,
    pub(in crate::graphql) pull: PullRequest,
}

connections! {
    PullRequestReviewComments:
        PullRequestReviewCommentConnection, PullRequestReviewCommentEdge, PullRequestReviewComment;
}

#[Object]
impl PullRequestReviewComment {
    async fn author(&self) -> Option<Actor> {
        Some(self.row.user.clone().into())
    }

    async fn author_association(&self, ctx: &Context<'_>) -> Result<CommentAuthorAssociation> {
        Ok(conversation::association(
            ctx,
            &self.pull.repository,
            self.row.user.id,
        )?)
    }

    async fn body(&self) -> &str {
        &self.row.body
    }

    async fn body_text(&self) -> &str {
        &self.row.body
    }

    async fn commit(&self, ctx: &Context<'_>) -> Result<Option<Commit>> {
        let thread = self.thread(ctx)?;
        Commit::load(ctx, &self.pull.repository, &thread.commit_sha).await
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.as_str().into()
    }

    #[graphql(
        deprecation = "`databaseId` will be removed because it does not support 64-bit signed integer identifiers. Use `fullDatabaseId` instead."
    )]
    pub(super) async fn database_id(&self) -> Option<i32> {
        database_id(self.row.id)
    }

    async fn diff_hunk(&self, ctx: &Context<'_>) -> Result<String> {
        Ok(self.thread(ctx)?.diff_hunk)
    }

    async fn full_database_id(&self) -> Option<BigInt> {
        Some(BigInt(self.row.id))
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::ReviewComment, self.row.id))
    }

    pub(super) async fn is_minimized(&self) -> bool {
        false
    }

    async fn line(&self, ctx: &Context<'_>) -> Result<Option<i32>> {
        Ok(number(self.thread(ctx)?.place.line))
    }

    pub(super) async fn minimized_reason(&self) -> Option<&str> {
        None
    }

    async fn original_commit(&self, ctx: &Context<'_>) -> Result<Option<Commit>> {
        let thread = self.thread(ctx)?;
        Commit::load(ctx, &self.pull.repository, &thread.original_commit_sha).await
    }

    async fn original_line(&self, ctx: &Context<'_>) -> Result<Option<i32>> {
        Ok(number(self.thread(ctx)?.original_place.line))
    }

    async fn original_start_line(&self, ctx: &Context<'_>) -> Result<Option<i32>> {
        Ok(number(self.thread(ctx)?.original_place.start_line))
    }

    async fn outdated(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.thread(ctx)?.outdated)
    }

    async fn path(&self, ctx: &Context<'_>) -> Result<String> {
        Ok(self.thread(ctx)?.path)
    }

    async fn pull_request(&self) -> &PullRequest {
        &self.pull
    }

    async fn pull_request_review(&self, ctx: &Context<'_>) -> Result<Option<PullRequestReview>> {
        let row = read(ctx, |connection| {
            Ok(reviews::by_id(connection, self.row.review_id)?)
        })?;
        Ok(row.map(|row| PullRequestReview::new(row, self.pull.clone())))
    }

    pub(super) async fn reaction_groups(
        &self,
        ctx: &Context<'_>,
    ) -> Result<Option<Vec<ReactionGroup>>> {
        Ok(conversation::reaction_groups(
            ctx,
            Subject::ReviewComment,
            self.row.id,
        )?)
    }

    async fn reply_to(&self, ctx: &Context<'_>) -> Result<Option<Self>> {
        let Some(id) = self.row.in_reply_to_id else {
            return Ok(None);
        };
        let row = read(ctx, |connection| {
            Ok(review_threads::comment(connection, id)?)
        })?;
        Ok(row.map(|row| Self::new(row, self.pull.clone())))
    }

    async fn repository(&self) -> &Repository {
        &self.pull.repository
    }

    async fn resource_path(&self) -> Uri {
        Uri(self.page())
    }

    async fn start_line(&self, ctx: &Context<'_>) -> Result<Option<i32>> {
        Ok(number(self.thread(ctx)?.place.start_line))
    }

    async fn state(&self, ctx: &Context<'_>) -> Result<PullRequestReviewCommentState> {
        let review = read(ctx, |connection| {
            reviews::by_id(connection, self.row.review_id)?.ok_or(ApiError::NotFound)
        })?;
        Ok(if review.state == ReviewState::Pending {
            PullRequestReviewCommentState::Pending
        } else {
            PullRequestReviewCommentState::Submitted
        })
    }

    async fn subject_type(&self, ctx: &Context<'_>) -> Result<PullRequestReviewThreadSubjectType> {
        Ok(self.thread(ctx)?.subject.into())
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.as_str().into()
    }

    async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.page()))
    }

    async fn viewer_did_author(&self, ctx: &Context<'_>) -> bool {
        conversation::viewer_did_author(ctx, self.row.user.id)
    }
}

impl PullRequestReviewComment {
    pub(in crate::graphql) fn new(row: review_threads::ReviewComment, pull: PullRequest) -> Self {
        Self { row, pull }
    }

    fn thread(&self, ctx: &Context<'_>) -> Result<Thread, ApiError> {
        read(ctx, |connection| {
            review_threads::by_id(connection, self.row.thread_id)?.ok_or(ApiError::NotFound)
        })
    }

    fn page(&self) -> String {
        format!("{}#discussion_r{}", self.pull.path(), self.row.id)
    }
}

/// A line of a file.
pub(super) fn number(line: Option<u32>) -> Option<i32> {
    line.and_then(|line| i32::try_from(line).ok())
}
