use async_graphql::{Context, ID, Object, Result};

use super::{Actor, Commit, Repository};
use crate::graphql::access::read;
use crate::graphql::connection::{Connection, Page, PageArguments, connections};
use crate::graphql::enums::{DeploymentState, DeploymentStatusState};
use crate::graphql::scalars::{DateTime, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::deployments;

#[derive(Debug, Clone)]
pub(in crate::graphql) struct Deployment {
    row: deployments::Deployment,
    repository: Repository,
}

connections! {
    Deployments: DeploymentConnection, DeploymentEdge, Deployment;
    DeploymentStatuses: DeploymentStatusConnection, DeploymentStatusEdge, DeploymentStatus;
}

#[Object]
impl Deployment {
    async fn commit(&self, ctx: &Context<'_>) -> Result<Option<Commit>> {
        Commit::load(ctx, &self.repository, &self.row.sha).await
    }

    async fn commit_oid(&self) -> &str {
        &self.row.sha
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.as_str().into()
    }

    async fn creator(&self) -> Actor {
        self.row.creator.clone().into()
    }

    async fn database_id(&self) -> Option<i32> {
        database_id(self.row.id)
    }

    async fn description(&self) -> Option<&str> {
        self.row.description.as_deref()
    }

    async fn environment(&self) -> Option<&str> {
        Some(&self.row.environment)
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::Deployment, self.row.id))
    }

    async fn latest_environment(&self, ctx: &Context<'_>) -> Result<Option<String>> {
        let latest = self.latest(ctx)?.map(|status| status.environment);
        let named = latest.filter(|environment| !environment.is_empty());
        Ok(Some(named.unwrap_or_else(|| self.row.environment.clone())))
    }

    async fn latest_status(&self, ctx: &Context<'_>) -> Result<Option<DeploymentStatus>> {
        Ok(self.latest(ctx)?.map(|row| self.shown(row)))
    }

    async fn original_environment(&self) -> Option<&str> {
        Some(&self.row.environment)
    }

    async fn payload(&self) -> Option<String> {
        Some(self.row.payload.to_string())
    }

    async fn repository(&self) -> &Repository {
        &self.repository
    }

    async fn state(&self, ctx: &Context<'_>) -> Result<Option<DeploymentState>> {
        Ok(Some(match self.latest(ctx)? {
            Some(status) => status.state.into(),
            None => DeploymentState::Pending,
        }))
    }

    async fn statuses(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<DeploymentStatusConnection>> {
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
            Ok(deployments::statuses(connection, self.row.id)?)
        })?;
        Ok(Some(Connection::of(
            &page,
            rows,
            |row| row.id,
            |row| self.shown(row),
        )))
    }

    async fn task(&self) -> Option<&str> {
        Some(&self.row.task)
    }

    async fn updated_at(&self) -> DateTime {
        self.row.updated_at.as_str().into()
    }
}

impl Deployment {
    pub(in crate::graphql) fn new(row: deployments::Deployment, repository: Repository) -> Self {
        Self { row, repository }
    }

    fn latest(&self, ctx: &Context<'_>) -> Result<Option<deployments::DeploymentStatus>> {
        let rows = read(ctx, |connection| {
            Ok(deployments::statuses(connection, self.row.id)?)
        })?;
        Ok(rows.into_iter().max_by_key(|row| row.id))
    }

    fn shown(&self, row: deployments::DeploymentStatus) -> DeploymentStatus {
        DeploymentStatus {
            row,
            deployment: self.clone(),
        }
    }
}

#[derive(Debug, Clone)]
pub(in crate::graphql) struct DeploymentStatus {
    row: deployments::DeploymentStatus,
    deployment: Deployment,
}

#[Object]
impl DeploymentStatus {
    async fn created_at(&self) -> DateTime {
        self.row.created_at.as_str().into()
    }

    async fn creator(&self) -> Actor {
        self.row.creator.clone().into()
    }

    async fn deployment(&self) -> &Deployment {
        &self.deployment
    }

    async fn description(&self) -> Option<&str> {
        Some(&self.row.description)
    }

    async fn environment(&self) -> Option<&str> {
        Some(&self.row.environment)
    }

    async fn environment_url(&self) -> Option<Uri> {
        let url = &self.row.environment_url;
        (!url.is_empty()).then(|| Uri(url.clone()))
    }

    async fn id(&self) -> ID {
        ID(node_id(Kind::DeploymentStatus, self.row.id))
    }

    async fn log_url(&self) -> Option<Uri> {
        let url = &self.row.log_url;
        (!url.is_empty()).then(|| Uri(url.clone()))
    }

    async fn state(&self) -> DeploymentStatusState {
        self.row.state.into()
    }

    async fn updated_at(&self) -> DateTime {
        self.row.created_at.as_str().into()
    }
}
