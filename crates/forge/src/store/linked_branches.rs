use rusqlite::{Connection, Row, Transaction, params};

use crate::store::select::{FromRow, Rows, Select as _};

/// A branch that was made to work on an issue. It may be gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkedBranch {
    pub(crate) id: i64,
    pub(crate) repository_id: i64,
    /// In full: `refs/heads/1-fix-it`.
    pub(crate) ref_name: String,
}

pub(crate) fn add(
    tx: &Transaction<'_>,
    issue_id: i64,
    repository_id: i64,
    ref_name: &str,
) -> rusqlite::Result<LinkedBranch> {
    tx.prepare_cached(
        "INSERT OR IGNORE INTO linked_branches (issue_id, repository_id, ref_name)
             VALUES (?, ?, ?)",
    )?
    .execute(params![issue_id, repository_id, ref_name])?;
    tx.one(
        "SELECT * FROM linked_branches
             WHERE issue_id = ? AND repository_id = ? AND ref_name = ?",
        params![issue_id, repository_id, ref_name],
    )
}

/// Oldest first.
pub(crate) fn for_issue(conn: &Connection, issue_id: i64) -> Rows<LinkedBranch> {
    conn.all(
        "SELECT * FROM linked_branches WHERE issue_id = ? ORDER BY id",
        [issue_id],
    )
}

impl FromRow for LinkedBranch {
    fn from_row(_: &Connection, row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(LinkedBranch {
            id: row.get("id")?,
            repository_id: row.get("repository_id")?,
            ref_name: row.get("ref_name")?,
        })
    }
}
