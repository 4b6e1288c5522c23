use async_graphql::{Context, ID, Object};

use super::Repository;
use crate::graphql::access::urls;
use crate::graphql::enums::WorkflowState;
use crate::graphql::scalars::{DateTime, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::workflows;

#[derive(Debug, Clone)]
pub(in crate::graphql) struct Workflow {
    pub(in crate::graphql) row: workflows::Workflow,
    pub(in crate::graphql) repository: Repository,
}

#[Object]
impl Workflow {
    async fn created_at(&self) -> DateTime {
        self.row.created_at.as_str().into()
    }

    async fn database_id(&self) -> Option<i32> {
        database_id(self.row.id)
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::Workflow, self.row.id))
    }

    async fn name(&self) -> &str {
        &self.row.name
    }

    pub(super) async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn state(&self) -> WorkflowState {
        match self.row.state {
            workflows::WorkflowState::Active => WorkflowState::Active,
            workflows::WorkflowState::DisabledManually => WorkflowState::DisabledManually,
        }
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.as_str().into()
    }

    pub(super) async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }
}

impl Workflow {
    fn path(&self) -> String {
        let file = self.row.file_name();
        format!("{}/actions/workflows/{file}", self.repository.path())
    }
}
