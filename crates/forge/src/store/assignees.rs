//! Who is assigned to issues.

use crate::store::prelude::*;

sql! {
    all for_issue(issue_id: i64) -> User:
        "SELECT users.* FROM users JOIN assignees ON user_id = users.id WHERE issue_id = ?
         ORDER BY users.id";

    /// Says whether the user is new there.
    did add(issue_id: i64, user_id: i64):
        "INSERT OR IGNORE INTO assignees (issue_id, user_id) VALUES (?, ?)";

    /// Says whether the user was there.
    did remove(issue_id: i64, user_id: i64):
        "DELETE FROM assignees WHERE issue_id = ? AND user_id = ?";
}
