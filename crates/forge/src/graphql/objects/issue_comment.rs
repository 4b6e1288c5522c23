use async_graphql::{Context, ID, Object, Result};

use super::{Actor, Issue, PullRequest, ReactionGroup, Repository, conversation};
use crate::graphql::access::{read, urls};
use crate::graphql::connection::connections;
use crate::graphql::enums::CommentAuthorAssociation;
use crate::graphql::scalars::{BigInt, DateTime, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::reactions::Subject;
use crate::store::{comments, issues, pulls};

/// Something said about an issue or pull request as a whole.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct IssueComment {
    pub(in crate::graphql) row: comments::Comment,
    pub(in crate::graphql) repository: Repository,
    /// Whether it is about a pull request.
    pub(in crate::graphql) on_pull: bool,
    /// Of the issue or pull request.
    pub(in crate::graphql) number: i64,
}

connections! {
    IssueComments: IssueCommentConnection, IssueCommentEdge, IssueComment;
}

#[Object]
impl IssueComment {
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
        &self.row.body
    }

    async fn body_text(&self) -> &str {
        &self.row.body
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
        ID(node_id(Kind::IssueComment, self.row.id))
    }

    async fn includes_created_edit(&self) -> bool {
        self.row.updated_at != self.row.created_at
    }

    pub(super) async fn is_minimized(&self) -> bool {
        self.row.minimized_reason.is_some()
    }

    async fn issue(&self, ctx: &Context<'_>) -> Result<Issue> {
        let row = read(ctx, |connection| {
            Ok(issues::by_id(connection, self.row.issue_id)?)
        })?;
        Ok(Issue::new(row, self.repository.clone()))
    }

    pub(super) async fn minimized_reason(&self) -> Option<&str> {
        self.row.minimized_reason.as_deref()
    }

    async fn pull_request(&self, ctx: &Context<'_>) -> Result<Option<PullRequest>> {
        let row = read(ctx, |connection| {
            Ok(pulls::by_id(connection, self.row.issue_id)?)
        })?;
        Ok(row.map(|row| PullRequest::new(row, self.repository.clone())))
    }

    pub(super) async fn reaction_groups(
        &self,
        ctx: &Context<'_>,
    ) -> Result<Option<Vec<ReactionGroup>>> {
        Ok(conversation::reaction_groups(
            ctx,
            Subject::Comment,
            self.row.id,
        )?)
    }

    async fn repository(&self) -> &Repository {
        &self.repository
    }

    async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.as_str().into()
    }

    async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
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

impl IssueComment {
    fn path(&self) -> String {
        let folder = if self.on_pull { "pull" } else { "issues" };
        format!(
            "{}/{folder}/{}#issuecomment-{}",
            self.repository.path(),
            self.number,
            self.row.id
        )
    }
}
