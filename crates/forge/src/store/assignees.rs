//! Who is assigned to issues.

use rusqlite::{Connection, Transaction};

use crate::store::select::{Rows, Select as _};
use crate::store::users::User;

pub(crate) fn for_issue(conn: &Connection, issue_id: i64) -> Rows<User> {
    conn.all(
        "SELECT users.* FROM users JOIN assignees ON user_id = users.id
             WHERE issue_id = ? ORDER BY users.id",
        [issue_id],
    )
}

/// Says whether the user is new there.
pub(crate) fn add(tx: &Transaction<'_>, issue_id: i64, user_id: i64) -> rusqlite::Result<bool> {
    tx.prepare_cached("INSERT OR IGNORE INTO assignees (issue_id, user_id) VALUES (?, ?)")?
        .execute([issue_id, user_id])
        .map(|count| count > 0)
}

/// Says whether the user was there.
pub(crate) fn remove(tx: &Transaction<'_>, issue_id: i64, user_id: i64) -> rusqlite::Result<bool> {
    tx.prepare_cached("DELETE FROM assignees WHERE issue_id = ? AND user_id = ?")?
        .execute([issue_id, user_id])
        .map(|count| count > 0)
}
