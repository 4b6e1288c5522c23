use async_graphql::{Context, ID, Object, Result};

use super::review_comment::number;
use super::{
    PullRequest, PullRequestReviewComment, PullRequestReviewCommentConnection, Repository, User,
    conversation,
};
use crate::graphql::access::{access, read};
use crate::graphql::connection::{Connection, Page, PageArguments, connections};
use crate::graphql::enums::{DiffSide, PullRequestReviewThreadSubjectType};
use crate::node_id::{Kind, node_id};
use crate::store::repositories::Permission;
use crate::store::review_threads::{self, Thread};

/// A conversation about some lines.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct PullRequestReviewThread {
    pub(in crate::graphql) row: Thread,
    pub(in crate::graphql) pull: PullRequest,
}

connections! {
    PullRequestReviewThreads:
        PullRequestReviewThreadConnection, PullRequestReviewThreadEdge, PullRequestReviewThread;
}

#[Object]
impl PullRequestReviewThread {
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
            Ok(review_threads::comments_of_thread(
                connection,
                self.row.id,
                viewer,
            )?)
        })?;
        let node = |row| PullRequestReviewComment::new(row, self.pull.clone());
        Ok(Connection::of(&page, rows, |row| row.id, node))
    }

    async fn diff_side(&self) -> DiffSide {
        self.row.side.into()
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::ReviewThread, self.row.id))
    }

    async fn is_collapsed(&self) -> bool {
        self.row.resolved_by.is_some()
    }

    async fn is_outdated(&self) -> bool {
        self.row.outdated
    }

    async fn is_resolved(&self) -> bool {
        self.row.resolved_by.is_some()
    }

    async fn line(&self) -> Option<i32> {
        number(self.row.place.line)
    }

    async fn original_line(&self) -> Option<i32> {
        number(self.row.original_place.line)
    }

    async fn original_start_line(&self) -> Option<i32> {
        number(self.row.original_place.start_line)
    }

    async fn path(&self) -> &str {
        &self.row.path
    }

    async fn pull_request(&self) -> &PullRequest {
        &self.pull
    }

    async fn repository(&self) -> &Repository {
        &self.pull.repository
    }

    async fn resolved_by(&self) -> Option<User> {
        self.row.resolved_by.clone().map(User)
    }

    async fn start_diff_side(&self) -> Option<DiffSide> {
        self.row.start_side.map(Into::into)
    }

    async fn start_line(&self) -> Option<i32> {
        number(self.row.place.start_line)
    }

    async fn subject_type(&self) -> PullRequestReviewThreadSubjectType {
        self.row.subject.into()
    }

    async fn viewer_can_reply(&self, ctx: &Context<'_>) -> Result<bool> {
        if self.pull.repository.0.archived {
            return Ok(false);
        }
        let given = conversation::permission(ctx, &self.pull.repository)?;
        Ok(!self.pull.row.issue.locked || given >= Permission::Write)
    }

    async fn viewer_can_resolve(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.row.resolved_by.is_none() && self.viewer_may_settle(ctx)?)
    }

    async fn viewer_can_unresolve(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(self.row.resolved_by.is_some() && self.viewer_may_settle(ctx)?)
    }
}

impl PullRequestReviewThread {
    pub(in crate::graphql) fn new(row: Thread, pull: PullRequest) -> Self {
        Self { row, pull }
    }

    /// Whoever may write, and the author of the pull request.
    fn viewer_may_settle(&self, ctx: &Context<'_>) -> Result<bool> {
        let author = self.pull.row.issue.author_id;
        let given = conversation::permission(ctx, &self.pull.repository)?;
        Ok(given >= Permission::Write || conversation::viewer_did_author(ctx, author))
    }
}
