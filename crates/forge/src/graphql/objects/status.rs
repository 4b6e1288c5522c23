//! What checks and statuses say about a commit, taken together and apart.

use async_graphql::{Context, ID, Object, Result, Union};

use super::requirement::is_required;
use super::{Actor, CheckRun, Commit, Repository};
use crate::graphql::access::read;
use crate::graphql::connection::{Connection, Page, PageArguments, connections};
use crate::graphql::enums::StatusState;
use crate::graphql::scalars::{DateTime, Uri};
use crate::node_id::{Kind, node_id};
use crate::store::commit_statuses::{self, CommitStatus};
use crate::store::rollup::{self, Rollup};

/// Everything that was said, and what follows from it.
pub(in crate::graphql) struct StatusCheckRollup {
    commit: Commit,
    rollup: Rollup,
}

#[derive(Union)]
pub(in crate::graphql) enum StatusCheckRollupContext {
    CheckRun(CheckRun),
    StatusContext(StatusContext),
}

connections! {
    RollupContexts: StatusCheckRollupContextConnection, StatusCheckRollupContextEdge, StatusCheckRollupContext;
}

/// Check runs and statuses have numbers of their own; so a status has a
/// negative key.
fn key(context: &rollup::Context) -> i64 {
    match context {
        rollup::Context::CheckRun(run) => run.id,
        rollup::Context::Status(status) => -status.id,
    }
}

#[Object]
impl StatusCheckRollup {
    async fn commit(&self) -> Option<&Commit> {
        Some(&self.commit)
    }

    async fn contexts(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<StatusCheckRollupContextConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let repository = &self.commit.repository;
        let node = |context| match context {
            rollup::Context::CheckRun(row) => StatusCheckRollupContext::CheckRun(CheckRun {
                row,
                repository: repository.clone(),
            }),
            rollup::Context::Status(row) => {
                StatusCheckRollupContext::StatusContext(StatusContext {
                    row,
                    repository: repository.clone(),
                })
            }
        };
        let contexts = self.rollup.contexts.clone();
        Ok(Connection::of(&page, contexts, key, node))
    }

    pub(super) async fn id(&self) -> ID {
        self.commit.named(Kind::StatusCheckRollup)
    }

    async fn state(&self) -> StatusState {
        // Without contexts there is no rollup.
        self.rollup
            .state()
            .map_or(StatusState::Expected, Into::into)
    }
}

impl StatusCheckRollup {
    /// Absent where nobody said anything.
    pub(in crate::graphql) fn of(ctx: &Context<'_>, commit: &Commit) -> Result<Option<Self>> {
        let (repository, oid) = (&commit.repository, commit.commit.oid.as_str());
        let rollup = read(ctx, |connection| {
            Ok(rollup::of_commit(connection, repository.0.id, oid)?)
        })?;
        let said = !rollup.contexts.is_empty();
        Ok(said.then(|| Self {
            commit: commit.clone(),
            rollup,
        }))
    }
}

/// The statuses of a commit, without its checks.
pub(in crate::graphql) struct Status {
    commit: Commit,
    statuses: Vec<CommitStatus>,
}

#[Object]
impl Status {
    async fn commit(&self) -> Option<&Commit> {
        Some(&self.commit)
    }

    async fn context(&self, name: String) -> Option<StatusContext> {
        let found = self.statuses.iter().find(|status| status.context == name)?;
        Some(self.shown(found))
    }

    async fn contexts(&self) -> Vec<StatusContext> {
        self.statuses
            .iter()
            .map(|status| self.shown(status))
            .collect()
    }

    pub(super) async fn id(&self) -> ID {
        self.commit.named(Kind::Status)
    }

    async fn state(&self) -> StatusState {
        let states = self.statuses.iter().map(|status| status.state);
        rollup::combined(states).map_or(StatusState::Expected, Into::into)
    }
}

impl Status {
    /// Absent where nobody said anything.
    pub(in crate::graphql) fn of(ctx: &Context<'_>, commit: &Commit) -> Result<Option<Self>> {
        let (repository, oid) = (&commit.repository, commit.commit.oid.as_str());
        let statuses = read(ctx, |connection| {
            Ok(commit_statuses::latest_of_commit(
                connection,
                repository.0.id,
                oid,
            )?)
        })?;
        let said = !statuses.is_empty();
        Ok(said.then(|| Self {
            commit: commit.clone(),
            statuses,
        }))
    }

    fn shown(&self, row: &CommitStatus) -> StatusContext {
        StatusContext {
            row: row.clone(),
            repository: self.commit.repository.clone(),
        }
    }
}

/// What somebody said about a commit, under one heading.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct StatusContext {
    pub(in crate::graphql) row: CommitStatus,
    pub(in crate::graphql) repository: Repository,
}

#[Object]
impl StatusContext {
    async fn commit(&self, ctx: &Context<'_>) -> Result<Option<Commit>> {
        Commit::load(ctx, &self.repository, &self.row.sha).await
    }

    async fn context(&self) -> &str {
        &self.row.context
    }

    async fn created_at(&self) -> DateTime {
        self.row.created_at.as_str().into()
    }

    async fn creator(&self) -> Option<Actor> {
        self.row.creator.clone().map(Actor::from)
    }

    async fn description(&self) -> Option<&str> {
        self.row.description.as_deref()
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::StatusContext, self.row.id))
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
            (&self.row.context, None),
        )
    }

    async fn state(&self) -> StatusState {
        self.row.state.into()
    }

    async fn target_url(&self) -> Option<Uri> {
        self.row.target_url.as_deref().map(Uri::from)
    }
}
