use std::sync::Arc;

use async_graphql::{Context, ID, Object, Result};

use super::projects::{ProjectCardConnection, ProjectV2ItemConnection};
use super::{
    Actor, IssueCommentConnection, LabelConnection, Milestone, ReactionGroup, Repository,
    UserConnection, conversation,
};
use crate::graphql::access::urls;
use crate::graphql::connection::{Page, PageArguments, connections};
use crate::graphql::enums::{
    CommentAuthorAssociation, IssueCommentOrder, IssueState, IssueStateReason, LabelOrder,
    LockReason,
};
use crate::graphql::scalars::{BigInt, DateTime, Uri, database_id, int};
use crate::node_id::{Kind, node_id};
use crate::store::issues;
use crate::store::reactions::Subject;

#[derive(Debug, Clone)]
pub(in crate::graphql) struct Issue {
    pub(in crate::graphql) row: Arc<issues::Issue>,
    pub(in crate::graphql) repository: Repository,
}

connections! {
    Issues: IssueConnection, IssueEdge, Issue;
}

#[Object]
impl Issue {
    pub(super) async fn active_lock_reason(&self) -> Option<LockReason> {
        self.row.lock_reason.as_deref().and_then(LockReason::of)
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
        Ok(conversation::assigned(ctx, &page, self.row.id)?)
    }

    async fn author(&self, ctx: &Context<'_>) -> Result<Option<Actor>> {
        Ok(conversation::actor(ctx, self.row.author_id)?)
    }

    async fn author_association(&self, ctx: &Context<'_>) -> Result<CommentAuthorAssociation> {
        Ok(conversation::association(
            ctx,
            &self.repository,
            self.row.author_id,
        )?)
    }

    async fn body(&self) -> &str {
        self.row.body.as_deref().unwrap_or_default()
    }

    async fn body_text(&self) -> &str {
        self.row.body.as_deref().unwrap_or_default()
    }

    pub(super) async fn closed(&self) -> bool {
        self.row.state == issues::IssueState::Closed
    }

    pub(super) async fn closed_at(&self) -> Option<DateTime> {
        self.row.closed_at.as_deref().map(DateTime::from)
    }

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
        Ok(conversation::comments_of(
            ctx,
            &page,
            order_by,
            &self.repository,
            &self.row,
        )?)
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.as_str().into()
    }

    pub(super) async fn database_id(&self) -> Option<i32> {
        database_id(self.row.id)
    }

    async fn full_database_id(&self) -> Option<BigInt> {
        Some(BigInt(self.row.id))
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::Issue, self.row.id))
    }

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
        let labels = conversation::labels_of(ctx, &page, order_by, &self.repository, self.row.id)?;
        Ok(Some(labels))
    }

    pub(super) async fn locked(&self) -> bool {
        self.row.locked
    }

    async fn milestone(&self, ctx: &Context<'_>) -> Result<Option<Milestone>> {
        Ok(conversation::milestone_of(
            ctx,
            &self.repository,
            &self.row,
        )?)
    }

    async fn number(&self) -> i32 {
        int(self.row.number)
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
        Ok(conversation::participants(ctx, &page, &self.row)?)
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
            self.row.id,
        )?)
    }

    async fn repository(&self) -> &Repository {
        &self.repository
    }

    pub(super) async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn state(&self) -> IssueState {
        match self.row.state {
            issues::IssueState::Open => IssueState::Open,
            issues::IssueState::Closed => IssueState::Closed,
        }
    }

    async fn state_reason(&self) -> Option<IssueStateReason> {
        self.row
            .state_reason
            .as_deref()
            .and_then(IssueStateReason::of)
    }

    async fn title(&self) -> &str {
        &self.row.title
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.as_str().into()
    }

    pub(super) async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }

    pub(super) async fn viewer_can_close(&self, ctx: &Context<'_>) -> Result<bool> {
        let open = self.row.state == issues::IssueState::Open;
        Ok(open && conversation::viewer_can_change(ctx, &self.repository, self.row.author_id)?)
    }

    pub(super) async fn viewer_can_reopen(&self, ctx: &Context<'_>) -> Result<bool> {
        let closed = self.row.state == issues::IssueState::Closed;
        Ok(closed && conversation::viewer_can_change(ctx, &self.repository, self.row.author_id)?)
    }

    async fn viewer_can_update(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(conversation::viewer_can_change(
            ctx,
            &self.repository,
            self.row.author_id,
        )?)
    }

    async fn viewer_did_author(&self, ctx: &Context<'_>) -> bool {
        conversation::viewer_did_author(ctx, self.row.author_id)
    }
}

impl Issue {
    pub(in crate::graphql) fn new(row: issues::Issue, repository: Repository) -> Self {
        Self {
            row: Arc::new(row),
            repository,
        }
    }

    fn path(&self) -> String {
        format!("{}/issues/{}", self.repository.path(), self.row.number)
    }
}
