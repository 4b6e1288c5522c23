use async_graphql::{Context, ID, Object, Result, Union};

use super::{Bot, Organization, User};
use crate::graphql::access::access;
use crate::graphql::connection::{Connection, Page, PageArguments, lists};
use crate::graphql::enums::ReactionContent;
use crate::graphql::scalars::{DateTime, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::reactions;
use crate::store::users::{self, UserKind};

/// What somebody thinks, in one picture.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct Reaction(pub(in crate::graphql) reactions::Reaction);

#[Object]
impl Reaction {
    async fn content(&self) -> Result<ReactionContent> {
        ReactionContent::of(&self.0.content).ok_or_else(|| "an unknown reaction".into())
    }

    async fn created_at(&self) -> DateTime {
        self.0.created_at.as_str().into()
    }

    async fn database_id(&self) -> Option<i32> {
        database_id(self.0.id)
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::Reaction, self.0.id))
    }

    async fn user(&self) -> Option<User> {
        (self.0.user.kind == UserKind::User).then(|| User(self.0.user.clone()))
    }
}

/// Everybody who gave the same reaction.
pub(in crate::graphql) struct ReactionGroup {
    pub(super) content: ReactionContent,
    pub(super) reactions: Vec<reactions::Reaction>,
}

#[derive(Union)]
pub(in crate::graphql) enum Reactor {
    User(User),
    Organization(Organization),
    Bot(Bot),
}

impl From<users::User> for Reactor {
    fn from(row: users::User) -> Self {
        match row.kind {
            UserKind::User => Self::User(User(row)),
            UserKind::Organization => Self::Organization(Organization(row)),
            UserKind::Bot => Self::Bot(Bot(row)),
        }
    }
}

lists! {
    Reactors: ReactorConnection, Reactor;
    ReactingUsers: ReactingUserConnection, User;
}

#[Object]
impl ReactionGroup {
    async fn content(&self) -> ReactionContent {
        self.content
    }

    /// When the first one was given.
    async fn created_at(&self) -> Option<DateTime> {
        let first = self.reactions.first()?;
        Some(first.created_at.as_str().into())
    }

    async fn reactors(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<ReactorConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let rows = self.reactions.clone();
        Ok(Connection::of(&page, rows, |row| row.id, |row| row.user.into()).into())
    }

    #[graphql(
        deprecation = "Reactors can now be mannequins, bots, and organizations. Use the `reactors` field instead."
    )]
    async fn users(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<ReactingUserConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let mut rows = self.reactions.clone();
        rows.retain(|row| row.user.kind == UserKind::User);
        Ok(Connection::of(&page, rows, |row| row.id, |row| User(row.user)).into())
    }

    async fn viewer_has_reacted(&self, ctx: &Context<'_>) -> bool {
        let viewer = access(ctx).caller.user.as_ref();
        viewer.is_some_and(|viewer| self.reactions.iter().any(|row| row.user.id == viewer.id))
    }
}
