use async_graphql::{Context, ID, Object};

use crate::graphql::access::urls;
use crate::graphql::scalars::{DateTime, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::users;

#[derive(Debug, Clone)]
pub(in crate::graphql) struct Organization(pub(in crate::graphql) users::User);

#[Object]
impl Organization {
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

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::Organization, self.0.id))
    }

    pub(super) async fn login(&self) -> &str {
        &self.0.login
    }

    pub(super) async fn resource_path(&self) -> Uri {
        Uri(format!("/{}", self.0.login))
    }

    pub(super) async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&format!("/{}", self.0.login)))
    }
}
