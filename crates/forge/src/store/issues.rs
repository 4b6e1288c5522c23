//! Issues; a pull request has a row here as well.

use rusqlite::{Connection, Transaction, params};

use crate::store::select::{Found, Select as _, from_row};
use crate::store::text_enum::text_enum;

/// An issue, or the part of a pull request that is one.
#[derive(Debug, Clone)]
pub(crate) struct Issue {
    pub(crate) id: i64,
    pub(crate) repository_id: i64,
    pub(crate) number: i64,
    pub(crate) is_pull: bool,
    pub(crate) author_id: i64,
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) state: IssueState,
    pub(crate) state_reason: Option<String>,
    pub(crate) locked: bool,
    pub(crate) lock_reason: Option<String>,
    pub(crate) closed_at: Option<String>,
    pub(crate) closed_by_id: Option<i64>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

text_enum! {
    IssueState {
        Open = "open",
        Closed = "closed",
    }
}

pub(crate) struct NewIssue<'a> {
    pub(crate) repository_id: i64,
    pub(crate) is_pull: bool,
    pub(crate) author_id: i64,
    pub(crate) title: &'a str,
    pub(crate) body: Option<&'a str>,
    pub(crate) at: &'a str,
}

/// Issues are never deleted one by one, so the next number is one more than
/// the largest. The writer is alone, so no one else takes it.
pub(crate) fn create(tx: &Transaction<'_>, new: &NewIssue<'_>) -> rusqlite::Result<Issue> {
    let id = tx.add(
        "INSERT INTO issues
             (repository_id, number, is_pull, author_id, title, body, created_at, updated_at)
             VALUES (?1, (SELECT COALESCE(MAX(number), 0) + 1 FROM issues WHERE repository_id = ?1),
                     ?2, ?3, ?4, ?5, ?6, ?6)",
        params![
            new.repository_id,
            new.is_pull,
            new.author_id,
            new.title,
            new.body,
            new.at,
        ],
    )?;
    by_id(tx, id)
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Issue> {
    conn.one("SELECT * FROM issues WHERE id = ?", [id])
}

/// An issue or a pull request: numbers are shared.
pub(crate) fn by_number(conn: &Connection, repository_id: i64, number: i64) -> Found<Issue> {
    conn.find(
        "SELECT * FROM issues WHERE repository_id = ? AND number = ?",
        [repository_id, number],
    )
}

/// Writes back what may change: text, state and lock.
pub(crate) fn update(tx: &Transaction<'_>, issue: &Issue) -> rusqlite::Result<()> {
    tx.run(
        "UPDATE issues SET title = ?2, body = ?3, state = ?4, state_reason = ?5, locked = ?6,
             lock_reason = ?7, closed_at = ?8, closed_by_id = ?9, updated_at = ?10
             WHERE id = ?1",
        params![
            issue.id,
            issue.title,
            issue.body,
            issue.state,
            issue.state_reason,
            issue.locked,
            issue.lock_reason,
            issue.closed_at,
            issue.closed_by_id,
            issue.updated_at,
        ],
    )
}

/// From now on it has branches; the caller writes the row about them.
pub(crate) fn make_pull(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    tx.run("UPDATE issues SET is_pull = 1 WHERE id = ?", [id])
}

/// Something about it changed that has its own table.
pub(crate) fn touch(tx: &Transaction<'_>, id: i64, at: &str) -> rusqlite::Result<()> {
    tx.run(
        "UPDATE issues SET updated_at = ? WHERE id = ?",
        params![at, id],
    )
}

/// How many are open, issues and pull requests together, as GitHub counts them.
pub(crate) fn open_count(conn: &Connection, repository_id: i64) -> rusqlite::Result<i64> {
    conn.one(
        "SELECT COUNT(*) FROM issues WHERE repository_id = ? AND state = 'open'",
        [repository_id],
    )
}

from_row! {
    (_conn, row) => Issue {
        id, repository_id, number, is_pull, author_id, title, body, state, state_reason,
        locked, lock_reason, closed_at, closed_by_id, created_at, updated_at
    }
}
