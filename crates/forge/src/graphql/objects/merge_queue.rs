use async_graphql::{Context, ID, Object, Result};

use super::{Actor, Commit, PullRequest, Repository};
use crate::actions::rules;
use crate::graphql::access::{read, urls};
use crate::graphql::connection::{Connection, Page, PageArguments, connections};
use crate::graphql::enums::MergeQueueEntryState;
use crate::graphql::scalars::{DateTime, Uri};
use crate::node_id::{Kind, named_node_id, node_id};
use crate::store::check_state::StatusState;
use crate::store::merge_queue::{self, QueueEntry};
use crate::store::{pulls, rollup};

/// Pull requests that are merged into a branch one after the other.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct MergeQueue {
    repository: Repository,
    branch: String,
}

#[derive(Debug, Clone)]
pub(in crate::graphql) struct MergeQueueEntry {
    row: QueueEntry,
    /// From 1.
    position: i32,
    queue: MergeQueue,
}

connections! {
    MergeQueueEntries: MergeQueueEntryConnection, MergeQueueEntryEdge, MergeQueueEntry;
}

#[Object]
impl MergeQueue {
    async fn entries(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<MergeQueueEntryConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let entries = self.all(ctx)?;
        Ok(Some(Connection::of(
            &page,
            entries,
            |entry| entry.row.id,
            |entry| entry,
        )))
    }

    pub(super) async fn id(&self) -> ID {
        ID(named_node_id(
            Kind::MergeQueue,
            self.repository.0.id,
            &self.branch,
        ))
    }

    async fn repository(&self) -> Option<&Repository> {
        Some(&self.repository)
    }

    async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }
}

impl MergeQueue {
    /// Absent where the branch has none.
    pub(in crate::graphql) fn of(
        ctx: &Context<'_>,
        repository: &Repository,
        branch: &str,
    ) -> Result<Option<Self>> {
        let rule = read(ctx, |connection| {
            rules::merge_queue_of(connection, &repository.0, branch)
        })?;
        Ok(rule.map(|_| Self {
            repository: repository.clone(),
            branch: branch.to_owned(),
        }))
    }

    pub(in crate::graphql) fn entry_of(
        &self,
        ctx: &Context<'_>,
        pull_id: i64,
    ) -> Result<Option<MergeQueueEntry>> {
        let entries = self.all(ctx)?;
        Ok(entries
            .into_iter()
            .find(|entry| entry.row.pull_id == pull_id))
    }

    fn all(&self, ctx: &Context<'_>) -> Result<Vec<MergeQueueEntry>> {
        let rows = read(ctx, |connection| {
            Ok(merge_queue::of_branch(
                connection,
                self.repository.0.id,
                &self.branch,
            )?)
        })?;
        let numbered = (1..).zip(rows).map(|(position, row)| MergeQueueEntry {
            row,
            position,
            queue: self.clone(),
        });
        Ok(numbered.collect())
    }

    fn path(&self) -> String {
        format!("{}/queue/{}", self.repository.path(), self.branch)
    }
}

#[Object]
impl MergeQueueEntry {
    async fn base_commit(&self, ctx: &Context<'_>) -> Result<Option<Commit>> {
        match &self.row.group {
            Some(group) => Commit::load(ctx, &self.queue.repository, &group.base_sha).await,
            None => Ok(None),
        }
    }

    async fn enqueued_at(&self) -> DateTime {
        self.row.enqueued_at.as_str().into()
    }

    async fn enqueuer(&self) -> Actor {
        self.row.enqueued_by.clone().into()
    }

    /// Nobody knows how long checks will take here.
    async fn estimated_time_to_merge(&self) -> Option<i32> {
        None
    }

    async fn head_commit(&self, ctx: &Context<'_>) -> Result<Option<Commit>> {
        match &self.row.group {
            Some(group) => Commit::load(ctx, &self.queue.repository, &group.head_sha).await,
            None => Ok(None),
        }
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::MergeQueueEntry, self.row.id))
    }

    async fn jump(&self) -> bool {
        self.row.jump
    }

    async fn merge_queue(&self) -> Option<&MergeQueue> {
        Some(&self.queue)
    }

    async fn position(&self) -> i32 {
        self.position
    }

    async fn pull_request(&self, ctx: &Context<'_>) -> Result<Option<PullRequest>> {
        let row = read(ctx, |connection| {
            Ok(pulls::by_id(connection, self.row.pull_id)?)
        })?;
        Ok(row.map(|row| PullRequest::new(row, self.queue.repository.clone())))
    }

    async fn solo(&self) -> bool {
        false
    }

    async fn state(&self, ctx: &Context<'_>) -> Result<MergeQueueEntryState> {
        let Some(group) = &self.row.group else {
            return Ok(MergeQueueEntryState::Queued);
        };
        let repository = self.queue.repository.0.id;
        let rollup = read(ctx, |connection| {
            Ok(rollup::of_commit(connection, repository, &group.head_sha)?)
        })?;
        Ok(match rollup.state() {
            None | Some(StatusState::Pending) => MergeQueueEntryState::AwaitingChecks,
            Some(StatusState::Success) => MergeQueueEntryState::Mergeable,
            Some(StatusState::Error | StatusState::Failure) => MergeQueueEntryState::Unmergeable,
        })
    }
}
