use async_graphql::{Context, ID, Object, Result};

use super::{CheckSuite, Repository, Workflow};
use crate::error::ApiError;
use crate::graphql::access::{read, urls};
use crate::graphql::scalars::{DateTime, Uri, database_id, int};
use crate::node_id::{Kind, node_id};
use crate::store::{check_suites, workflow_runs, workflows};

#[derive(Debug, Clone)]
pub(in crate::graphql) struct WorkflowRun {
    row: workflow_runs::WorkflowRun,
    repository: Repository,
}

#[Object]
impl WorkflowRun {
    async fn check_suite(&self, ctx: &Context<'_>) -> Result<CheckSuite> {
        let row = read(ctx, |connection| {
            check_suites::by_id(connection, self.row.suite_id)?.ok_or(ApiError::NotFound)
        })?;
        Ok(CheckSuite::new(row, self.repository.clone()))
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.as_str().into()
    }

    async fn database_id(&self) -> Option<i32> {
        database_id(self.row.id)
    }

    async fn event(&self) -> &str {
        &self.row.event
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::WorkflowRun, self.row.id))
    }

    pub(super) async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn run_number(&self) -> i32 {
        int(self.row.number)
    }

    async fn updated_at(&self) -> DateTime {
        self.row.attempt.updated_at.as_str().into()
    }

    pub(super) async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }

    async fn workflow(&self, ctx: &Context<'_>) -> Result<Workflow> {
        let row = read(ctx, |connection| {
            workflows::by_id(connection, self.row.workflow_id)?.ok_or(ApiError::NotFound)
        })?;
        Ok(Workflow {
            row,
            repository: self.repository.clone(),
        })
    }
}

impl WorkflowRun {
    pub(in crate::graphql) fn new(row: workflow_runs::WorkflowRun, repository: Repository) -> Self {
        Self { row, repository }
    }

    fn path(&self) -> String {
        format!("{}/actions/runs/{}", self.repository.path(), self.row.id)
    }
}
