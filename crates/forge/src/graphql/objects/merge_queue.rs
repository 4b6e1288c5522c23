//! Merge queues and their entries.

use super::{PullRequest, Repo};
use crate::actions::rules;
use crate::graphql::prelude::*;
use crate::node_id::named_node_id;
use crate::store::check_state::StatusState;
use crate::store::merge_queue::{self, QueueEntry};
use crate::store::{pulls, rollup};

/// Pull requests that are merged into a branch one after the other.
#[derive(Clone)]
pub(crate) struct MergeQueue {
    repository: Arc<Repository>,
    branch: String,
}

pub(crate) struct MergeQueueEntry {
    row: QueueEntry,
    /// From 1.
    position: i64,
    queue: MergeQueue,
}

impl MergeQueue {
    /// Absent where the branch has none.
    pub(crate) fn for_branch(
        cx: &Context,
        repository: &Arc<Repository>,
        branch: &str,
    ) -> Result<Option<Self>, QueryError> {
        let rule = cx.read(|conn| rules::merge_queue_of(conn, repository, branch))?;
        Ok(rule.map(|_| Self {
            repository: Arc::clone(repository),
            branch: branch.to_owned(),
        }))
    }

    pub(crate) fn entry_of(
        cx: &Context,
        pull: &PullRequest,
    ) -> Result<Option<MergeQueueEntry>, QueryError> {
        let Some(queue) = Self::for_branch(cx, &pull.repository, &pull.row.base_ref)? else {
            return Ok(None);
        };
        let mut entries = queue.entries(cx)?.into_iter();
        Ok(entries.find(|entry| entry.row.pull_id == pull.row.id()))
    }

    fn entries(&self, cx: &Context) -> Result<Vec<MergeQueueEntry>, QueryError> {
        let rows = cx.read(|conn| {
            let (id, branch) = (self.repository.id, &self.branch);
            Ok(merge_queue::for_branch(conn, id, branch)?)
        })?;
        let numbered = (1..).zip(rows).map(|(position, row)| MergeQueueEntry {
            row,
            position,
            queue: self.clone(),
        });
        Ok(numbered.collect())
    }
}

impl Object for MergeQueue {
    kind!("MergeQueue");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        let (repository, branch) = (&self.repository, &self.branch);
        Ok(json!({
            "node_id": named_node_id(Kind::MergeQueue, repository.id, branch),
            "html_url": cx.page(repository, &format!("/queue/{branch}")),
        }))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        match field.name {
            "entries" => field.list(self.entries(cx)?, |entry| entry.row.id, |entry| entry),
            "repository" => one(Repo(Arc::clone(&self.repository))),
            _ => Ok(Output::Fact),
        }
    }
}

impl Object for MergeQueueEntry {
    kind!("MergeQueueEntry");

    fn facts(&self, _: &Context) -> Result<Value, QueryError> {
        Ok(json!({
            "node_id": node_id(Kind::MergeQueueEntry, self.row.id),
            "enqueued_at": self.row.enqueued_at,
            // How long checks will take is not known here.
            "estimated_time_to_merge": null,
            "position": self.position,
        }))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (row, repository) = (&self.row, &self.queue.repository);
        let group = row.group.as_ref();
        match field.name {
            "pullRequest" => {
                let pull = cx.rows(|conn| pulls::by_id(conn, row.pull_id))?;
                maybe(pull.map(|pull| PullRequest::new(pull, repository)))
            }
            "state" => {
                let Some(group) = group else {
                    return plain("queued");
                };
                let checks =
                    cx.read(|conn| Ok(rollup::for_commit(conn, repository.id, &group.head_sha)?))?;
                plain(match checks.state() {
                    None | Some(StatusState::Pending) => "awaiting_checks",
                    Some(StatusState::Success) => "mergeable",
                    Some(StatusState::Error | StatusState::Failure) => "unmergeable",
                })
            }
            _ => Ok(Output::Fact),
        }
    }
}
