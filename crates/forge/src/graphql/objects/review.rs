use async_graphql::{Context, ID, Object, Result};

use super::{
    Actor, Commit, PullRequest, PullRequestReviewComment, PullRequestReviewCommentConnection,
    ReactionGroup, Repository, TeamConnection, conversation,
};
use crate::graphql::access::{access, read, urls};
use crate::graphql::connection::{Connection, Page, PageArguments, connections};
use crate::graphql::enums::{CommentAuthorAssociation, PullRequestReviewState};
use crate::graphql::scalars::{BigInt, DateTime, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::reactions::Subject;
use crate::store::repositories::{self, Permission};
use crate::store::{review_threads, reviews};

/// What somebody thinks of a pull request.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct PullRequestReview {
    pub(in crate::graphql) row: reviews::Review,
    pub(in crate::graphql) pull: PullRequest,
}

connections! {
    PullRequestReviews: PullRequestReviewConnection, PullRequestReviewEdge, PullRequestReview;
}

#[Object]
impl PullRequestReview {
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

    async fn author_can_push_to_repository(&self, ctx: &Context<'_>) -> Result<bool> {
        let given = read(ctx, |connection| {
            let repository = &self.pull.repository.0;
            Ok(repositories::permission(
                connection,
                repository,
                Some(&self.row.user),
            )?)
        })?;
        Ok(given >= Permission::Write)
    }

    async fn body(&self) -> &str {
        &self.row.body
    }

    async fn body_text(&self) -> &str {
        &self.row.body
    }

    async fn comments(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<PullRequestReviewCommentConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let viewer = access(ctx).caller.user.as_ref().map(|user| user.id);
        let rows = read(ctx, |connection| {
            Ok(review_threads::comments_of_review(
                connection,
                self.row.id,
                viewer,
            )?)
        })?;
        let node = |row| PullRequestReviewComment::new(row, self.pull.clone());
        Ok(Connection::of(&page, rows, |row| row.id, node))
    }

    async fn commit(&self, ctx: &Context<'_>) -> Result<Option<Commit>> {
        Commit::load(ctx, &self.pull.repository, &self.row.commit_sha).await
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

    async fn full_database_id(&self) -> Option<BigInt> {
        Some(BigInt(self.row.id))
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::Review, self.row.id))
    }

    pub(super) async fn is_minimized(&self) -> bool {
        false
    }

    pub(super) async fn minimized_reason(&self) -> Option<&str> {
        None
    }

    async fn on_behalf_of(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<TeamConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Ok(TeamConnection::empty(&page))
    }

    async fn pull_request(&self) -> &PullRequest {
        &self.pull
    }

    pub(super) async fn reaction_groups(
        &self,
        ctx: &Context<'_>,
    ) -> Result<Option<Vec<ReactionGroup>>> {
        Ok(conversation::reaction_groups(
            ctx,
            Subject::Review,
            self.row.id,
        )?)
    }

    async fn repository(&self) -> &Repository {
        &self.pull.repository
    }

    async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn state(&self) -> PullRequestReviewState {
        self.row.state.into()
    }

    async fn submitted_at(&self) -> Option<DateTime> {
        self.row.submitted_at.as_deref().map(DateTime::from)
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.as_str().into()
    }

    async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }

    async fn viewer_did_author(&self, ctx: &Context<'_>) -> bool {
        conversation::viewer_did_author(ctx, self.row.user.id)
    }
}

impl PullRequestReview {
    pub(in crate::graphql) fn new(row: reviews::Review, pull: PullRequest) -> Self {
        Self { row, pull }
    }

    fn path(&self) -> String {
        format!("{}#pullrequestreview-{}", self.pull.path(), self.row.id)
    }
}
