use async_graphql::{Context, ID, Object};

use crate::graphql::access::urls;
use crate::graphql::scalars::{DateTime, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::apps;

/// Whoever reports checks.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct App(pub(in crate::graphql) apps::App);

#[Object]
impl App {
    async fn created_at(&self) -> DateTime {
        self.0.created_at.as_str().into()
    }

    async fn database_id(&self) -> Option<i32> {
        database_id(self.0.id)
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::App, self.0.id))
    }

    async fn name(&self) -> &str {
        &self.0.name
    }

    async fn slug(&self) -> &str {
        &self.0.slug
    }

    async fn updated_at(&self) -> DateTime {
        self.0.created_at.as_str().into()
    }

    async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&format!("/apps/{}", self.0.slug)))
    }
}
