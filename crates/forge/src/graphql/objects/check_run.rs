use async_graphql::{Context, ID, Object, Result};

use super::check_annotation::{CheckAnnotation, CheckAnnotationConnection};
use super::check_step::{CheckStep, CheckStepConnection};
use super::requirement::is_required;
use super::{CheckSuite, Repository};
use crate::error::ApiError;
use crate::graphql::access::{read, urls};
use crate::graphql::connection::{Connection, Page, PageArguments, connections};
use crate::graphql::enums::{CheckConclusionState, CheckStatusState};
use crate::graphql::scalars::{DateTime, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::{check_annotations, check_runs, check_suites, workflow_steps};

/// One check of one commit.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct CheckRun {
    pub(super) row: check_runs::CheckRun,
    pub(super) repository: Repository,
}

connections! {
    CheckRuns: CheckRunConnection, CheckRunEdge, CheckRun;
}

#[Object]
impl CheckRun {
    async fn annotations(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<CheckAnnotationConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let rows = read(ctx, |connection| {
            Ok(check_annotations::of_run(connection, self.row.id)?)
        })?;
        let node = |row| CheckAnnotation {
            row,
            repository: self.repository.clone(),
            head_sha: self.row.head_sha.clone(),
        };
        Ok(Some(Connection::fixed(&page, rows, node).into()))
    }

    async fn check_suite(&self, ctx: &Context<'_>) -> Result<CheckSuite> {
        let row = read(ctx, |connection| {
            check_suites::by_id(connection, self.row.suite_id)?.ok_or(ApiError::NotFound)
        })?;
        Ok(CheckSuite::new(row, self.repository.clone()))
    }

    async fn completed_at(&self) -> Option<DateTime> {
        self.row.completed_at.as_deref().map(DateTime::from)
    }

    async fn conclusion(&self) -> Option<CheckConclusionState> {
        self.row.progress.conclusion().map(Into::into)
    }

    async fn database_id(&self) -> Option<i32> {
        database_id(self.row.id)
    }

    async fn details_url(&self, ctx: &Context<'_>) -> Option<Uri> {
        Some(match &self.row.details_url {
            Some(url) => Uri(url.clone()),
            None => Uri(urls(ctx).page(&self.path())),
        })
    }

    async fn external_id(&self) -> Option<&str> {
        Some(&self.row.external_id)
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::CheckRun, self.row.id))
    }

    pub(super) async fn is_required(
        &self,
        ctx: &Context<'_>,
        pull_request_id: Option<ID>,
        pull_request_number: Option<i32>,
    ) -> Result<bool> {
        is_required(
            ctx,
            &self.repository,
            (pull_request_id, pull_request_number),
            (&self.row.name, Some(self.row.app_id)),
        )
    }

    async fn name(&self) -> &str {
        &self.row.name
    }

    async fn permalink(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }

    async fn repository(&self) -> &Repository {
        &self.repository
    }

    pub(super) async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn started_at(&self) -> Option<DateTime> {
        self.row.started_at.as_deref().map(DateTime::from)
    }

    async fn status(&self) -> CheckStatusState {
        self.row.progress.status().into()
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn steps(
        &self,
        ctx: &Context<'_>,
        number: Option<i32>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<CheckStepConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let mut rows = read(ctx, |connection| {
            Ok(workflow_steps::of_job(connection, self.row.id)?)
        })?;
        if let Some(number) = number {
            rows.retain(|row| row.number == i64::from(number));
        }
        Ok(Some(
            Connection::of(&page, rows, |row| row.number, CheckStep).into(),
        ))
    }

    async fn summary(&self) -> Option<&str> {
        self.row.summary.as_deref()
    }

    async fn text(&self) -> Option<&str> {
        self.row.text.as_deref()
    }

    async fn title(&self) -> Option<&str> {
        self.row.title.as_deref()
    }

    pub(super) async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }
}

impl CheckRun {
    pub(in crate::graphql) fn new(row: check_runs::CheckRun, repository: Repository) -> Self {
        Self { row, repository }
    }

    /// A job has its page in the run.
    fn path(&self) -> String {
        let (repository, id) = (self.repository.path(), self.row.id);
        match self.row.workflow_run_id {
            Some(run) => format!("{repository}/actions/runs/{run}/job/{id}"),
            None => format!("{repository}/runs/{id}"),
        }
    }
}
