//! Entries of merge queues.

use crate::store::prelude::*;
use crate::store::users;

/// A pull request that waits for its turn.
#[derive(Debug, Clone)]
pub(crate) struct QueueEntry {
    pub(crate) id: i64,
    pub(crate) pull_id: i64,
    pub(crate) base_ref: String,
    pub(crate) enqueued_by: User,
    pub(crate) enqueued_at: String,
    /// The head of the pull request that is to be merged.
    pub(crate) pull_sha: String,
    /// Absent until it is built.
    pub(crate) group: Option<QueueGroup>,
    pub(crate) built_at: Option<String>,
}

/// What is checked: the pull request merged into what will be the base branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueueGroup {
    pub(crate) base_sha: String,
    pub(crate) head_sha: String,
}

impl QueueEntry {
    /// The branch under which the group is checked.
    pub(crate) fn group_branch(&self, number: i64) -> Option<String> {
        let group = self.group.as_ref()?;
        Some(format!(
            "gh-readonly-queue/{}/pr-{number}-{}",
            self.base_ref, group.base_sha
        ))
    }
}

pub(crate) struct NewEntry<'a> {
    pub(crate) pull_id: i64,
    pub(crate) repository_id: i64,
    pub(crate) base_ref: &'a str,
    pub(crate) enqueued_by: i64,
    pub(crate) jump: bool,
    pub(crate) pull_sha: &'a str,
    pub(crate) at: &'a str,
}

inserts! {
    add(new: &NewEntry<'_>) into merge_queue_entries {
        pull_id: new.pull_id, repository_id: new.repository_id, base_ref: new.base_ref,
        enqueued_by: new.enqueued_by, jump: new.jump, pull_sha: new.pull_sha, enqueued_at: new.at,
    }
}

sql! {
    run set_group(id: i64, group: &QueueGroup, at: &str):
        "UPDATE merge_queue_entries SET base_sha = ?, head_sha = ?, built_at = ? WHERE id = ?",
        [group.base_sha, group.head_sha, at, id];
    run remove(id: i64): "DELETE FROM merge_queue_entries WHERE id = ?";
    find for_pull(pull_id: i64) -> QueueEntry:
        "SELECT * FROM merge_queue_entries WHERE pull_id = ?";

    /// In the order in which they are to be merged.
    all for_branch(repository_id: i64, base_ref: &str) -> QueueEntry:
        "SELECT * FROM merge_queue_entries WHERE repository_id = ? AND base_ref = ?
         ORDER BY jump DESC, id";
}

/// Branches in which someone waits.
pub(crate) fn busy_branches(conn: &Connection) -> Rows<(i64, String)> {
    conn.all_with(
        "SELECT DISTINCT repository_id, base_ref FROM merge_queue_entries",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

impl FromRow for QueueEntry {
    fn from_row(conn: &Connection, row: &Row<'_>) -> rusqlite::Result<Self> {
        let base_sha: Option<String> = row.get("base_sha")?;
        let head_sha: Option<String> = row.get("head_sha")?;
        columns!(row => QueueEntry {
            id, pull_id, base_ref, enqueued_at, pull_sha, built_at;
            enqueued_by: users::by_id(conn, row.get("enqueued_by")?)?,
            group: base_sha
                .zip(head_sha)
                .map(|(base_sha, head_sha)| QueueGroup { base_sha, head_sha }),
        })
    }
}
