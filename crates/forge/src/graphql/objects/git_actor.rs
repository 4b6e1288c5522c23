use async_graphql::{Context, Object, Result};

use super::User;
use crate::git::Person;
use crate::graphql::access::{read, urls};
use crate::graphql::connection::connections;
use crate::graphql::scalars::{GitTimestamp, Uri};
use crate::store::users::{self, UserKind};

/// Whoever git says made a commit, known to the forge or not.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct GitActor(pub(in crate::graphql) Person);

connections! {
    GitActors: GitActorConnection, GitActorEdge, GitActor;
}

#[Object]
impl GitActor {
    async fn avatar_url(&self, ctx: &Context<'_>, size: Option<i32>) -> Result<Uri> {
        let login = match self.account(ctx)? {
            Some(user) => user.login,
            None => "ghost".to_owned(),
        };
        let size = size.map(|size| format!("?s={size}")).unwrap_or_default();
        Ok(Uri(urls(ctx).page(&format!("/avatars/{login}{size}"))))
    }

    async fn date(&self) -> Option<GitTimestamp> {
        Some(self.0.date.as_str().into())
    }

    async fn email(&self) -> Option<&str> {
        Some(&self.0.email)
    }

    async fn name(&self) -> Option<&str> {
        Some(&self.0.name)
    }

    async fn user(&self, ctx: &Context<'_>) -> Result<Option<User>> {
        let account = self.account(ctx)?;
        let user = account.filter(|account| account.kind == UserKind::User);
        Ok(user.map(User))
    }
}

impl GitActor {
    fn account(&self, ctx: &Context<'_>) -> Result<Option<users::User>> {
        let found = read(ctx, |connection| {
            Ok(users::by_email(connection, &self.0.email)?)
        })?;
        Ok(found)
    }
}
