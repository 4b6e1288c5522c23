//! Comments on issues and pull requests.

use rusqlite::{Connection, Transaction, params};

use crate::store::select::{Found, Rows, Select as _, from_row, insert};

/// A comment on an issue or in the conversation of a pull request.
#[derive(Debug, Clone)]
pub(crate) struct Comment {
    pub(crate) id: i64,
    pub(crate) issue_id: i64,
    pub(crate) author_id: i64,
    pub(crate) body: String,
    pub(crate) minimized_reason: Option<String>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

pub(crate) fn create(
    tx: &Transaction<'_>,
    issue_id: i64,
    author_id: i64,
    body: &str,
    at: &str,
) -> rusqlite::Result<Comment> {
    let id = insert!(tx => comments {
        issue_id, author_id, body, created_at: at, updated_at: at,
    })?;
    Ok(Comment {
        id,
        issue_id,
        author_id,
        body: body.to_owned(),
        minimized_reason: None,
        created_at: at.to_owned(),
        updated_at: at.to_owned(),
    })
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> Found<Comment> {
    conn.find("SELECT * FROM comments WHERE id = ?", [id])
}

/// Oldest first.
pub(crate) fn for_issue(conn: &Connection, issue_id: i64) -> Rows<Comment> {
    conn.all(
        "SELECT * FROM comments WHERE issue_id = ? ORDER BY id",
        [issue_id],
    )
}

pub(crate) fn count(conn: &Connection, issue_id: i64) -> rusqlite::Result<i64> {
    conn.one(
        "SELECT COUNT(*) FROM comments WHERE issue_id = ?",
        [issue_id],
    )
}

/// Writes back body, minimized reason and time of change.
pub(crate) fn update(tx: &Transaction<'_>, comment: &Comment) -> rusqlite::Result<()> {
    tx.run(
        "UPDATE comments SET body = ?, minimized_reason = ?, updated_at = ? WHERE id = ?",
        params![
            comment.body,
            comment.minimized_reason,
            comment.updated_at,
            comment.id
        ],
    )
}

from_row! {
    (_conn, row) => Comment {
        id, issue_id, author_id, body, minimized_reason, created_at, updated_at
    }
}
