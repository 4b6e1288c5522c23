use async_graphql::{Context, ID, InputObject, Object, Result};

use super::{App, CheckRun, CheckRunConnection, Commit, Ref, Repository, WorkflowRun};
use crate::graphql::access::{read, urls};
use crate::graphql::connection::{Connection, Page, PageArguments, connections};
use crate::graphql::enums::{CheckConclusionState, CheckRunType, CheckStatusState};
use crate::graphql::scalars::{DateTime, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::check_runs::RunFilter;
use crate::store::{apps, check_runs, check_suites, refs, workflow_runs};

/// What one app has to say about one commit.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct CheckSuite {
    row: check_suites::CheckSuite,
    repository: Repository,
}

connections! {
    CheckSuites: CheckSuiteConnection, CheckSuiteEdge, CheckSuite;
}

#[derive(InputObject)]
pub(in crate::graphql) struct CheckRunFilter {
    app_id: Option<i32>,
    check_name: Option<String>,
    check_type: Option<CheckRunType>,
    conclusions: Option<Vec<CheckConclusionState>>,
    status: Option<CheckStatusState>,
    statuses: Option<Vec<CheckStatusState>>,
}

impl CheckRunFilter {
    fn fits(&self, run: &check_runs::CheckRun) -> bool {
        let status: CheckStatusState = run.progress.status().into();
        let conclusion: Option<CheckConclusionState> = run.progress.conclusion().map(Into::into);
        let name_fits = self
            .check_name
            .as_ref()
            .is_none_or(|name| *name == run.name);
        let app_fits = self.app_id.is_none_or(|id| i64::from(id) == run.app_id);
        let status_fits = self.status.is_none_or(|wanted| wanted == status);
        let statuses_fit = self
            .statuses
            .as_ref()
            .is_none_or(|all| all.contains(&status));
        let conclusion_fits = self
            .conclusions
            .as_ref()
            .is_none_or(|all| conclusion.is_some_and(|conclusion| all.contains(&conclusion)));
        name_fits && app_fits && status_fits && statuses_fit && conclusion_fits
    }
}

#[Object]
impl CheckSuite {
    async fn app(&self, ctx: &Context<'_>) -> Result<Option<App>> {
        let row = read(ctx, |connection| {
            Ok(apps::by_id(connection, self.row.app_id)?)
        })?;
        Ok(Some(App(row)))
    }

    async fn branch(&self, ctx: &Context<'_>) -> Result<Option<Ref>> {
        let Some(branch) = &self.row.head_branch else {
            return Ok(None);
        };
        let name = format!("refs/heads/{branch}");
        let oid = read(ctx, |connection| {
            Ok(refs::find(connection, self.repository.0.id, &name)?)
        })?;
        Ok(oid.map(|oid| Ref::new(name, oid, self.repository.clone())))
    }

    async fn check_runs(
        &self,
        ctx: &Context<'_>,
        filter_by: Option<CheckRunFilter>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<CheckRunConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let all = filter_by
            .as_ref()
            .is_some_and(|filter| filter.check_type == Some(CheckRunType::All));
        let filter = RunFilter {
            replaced_too: all,
            ..RunFilter::default()
        };
        let mut rows = read(ctx, |connection| {
            Ok(check_runs::of_suite(connection, self.row.id, filter)?)
        })?;
        if let Some(filter) = filter_by {
            rows.retain(|row| filter.fits(row));
        }
        let node = |row| CheckRun {
            row,
            repository: self.repository.clone(),
        };
        Ok(Some(Connection::of(&page, rows, |row| row.id, node)))
    }

    async fn commit(&self, ctx: &Context<'_>) -> Result<Commit> {
        let commit = Commit::load(ctx, &self.repository, &self.row.head_sha).await?;
        commit.ok_or_else(|| "the commit of the checks is gone".into())
    }

    async fn conclusion(&self) -> Option<CheckConclusionState> {
        self.row.progress.conclusion().map(Into::into)
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.as_str().into()
    }

    async fn database_id(&self) -> Option<i32> {
        database_id(self.row.id)
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::CheckSuite, self.row.id))
    }

    async fn repository(&self) -> &Repository {
        &self.repository
    }

    async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn status(&self) -> CheckStatusState {
        self.row.progress.status().into()
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.as_str().into()
    }

    async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }

    async fn workflow_run(&self, ctx: &Context<'_>) -> Result<Option<WorkflowRun>> {
        let row = read(ctx, |connection| {
            Ok(workflow_runs::of_suite(connection, self.row.id)?)
        })?;
        Ok(row.map(|row| WorkflowRun::new(row, self.repository.clone())))
    }
}

impl CheckSuite {
    pub(in crate::graphql) fn new(row: check_suites::CheckSuite, repository: Repository) -> Self {
        Self { row, repository }
    }

    fn path(&self) -> String {
        let (repository, row) = (self.repository.path(), &self.row);
        format!(
            "{repository}/commit/{}/checks?check_suite_id={}",
            row.head_sha, row.id
        )
    }
}
