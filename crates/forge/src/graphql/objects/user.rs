use async_graphql::{Context, ID, Object};

use crate::graphql::access::{access, urls};
use crate::graphql::connection::connections;
use crate::graphql::scalars::{DateTime, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::users;

#[derive(Debug, Clone)]
pub(in crate::graphql) struct User(pub(in crate::graphql) users::User);

connections! {
    Users: UserConnection, UserEdge, User;
}

#[Object]
impl User {
    pub(super) async fn avatar_url(&self, ctx: &Context<'_>, size: Option<i32>) -> Uri {
        let path = format!("/avatars/{}", self.0.login);
        match size {
            Some(size) => Uri(urls(ctx).page(&format!("{path}?s={size}"))),
            None => Uri(urls(ctx).page(&path)),
        }
    }

    async fn created_at(&self) -> DateTime {
        self.0.created_at.as_str().into()
    }

    async fn database_id(&self) -> Option<i32> {
        database_id(self.0.id)
    }

    async fn email(&self) -> &str {
        self.0.email.as_deref().unwrap_or_default()
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::User, self.0.id))
    }

    async fn is_site_admin(&self) -> bool {
        self.0.site_admin
    }

    async fn is_viewer(&self, ctx: &Context<'_>) -> bool {
        let viewer = access(ctx).caller.user.as_ref();
        viewer.is_some_and(|viewer| viewer.id == self.0.id)
    }

    pub(super) async fn login(&self) -> &str {
        &self.0.login
    }

    async fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    pub(super) async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.0.login))
    }

    pub(super) async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&format!("/{}", self.0.login)))
    }
}
