use async_graphql::{Context, ID, Object};

use super::Repository;
use crate::graphql::access::urls;
use crate::graphql::connection::connections;
use crate::graphql::scalars::Uri;
use crate::node_id::{Kind, node_id};
use crate::store::labels;

#[derive(Debug, Clone)]
pub(in crate::graphql) struct Label {
    pub(in crate::graphql) row: labels::Label,
    pub(in crate::graphql) repository: Repository,
}

connections! {
    Labels: LabelConnection, LabelEdge, Label;
}

#[Object]
impl Label {
    async fn color(&self) -> &str {
        &self.row.color
    }

    async fn description(&self) -> Option<&str> {
        self.row.description.as_deref()
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::Label, self.row.id))
    }

    async fn is_default(&self) -> bool {
        self.row.is_default
    }

    async fn name(&self) -> &str {
        &self.row.name
    }

    async fn repository(&self) -> &Repository {
        &self.repository
    }

    async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }
}

impl Label {
    fn path(&self) -> String {
        format!("{}/labels/{}", self.repository.path(), self.row.name)
    }
}
