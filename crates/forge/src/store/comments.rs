//! Comments on issues and pull requests.

use crate::store::prelude::*;

row! {
    /// A comment on an issue or in the conversation of a pull request.
    Comment {
        id: i64,
        issue_id: i64,
        author_id: i64,
        body: String,
        minimized_reason: Option<String>,
        created_at: String,
        updated_at: String,
    }
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

sql! {
    find by_id(id: i64) -> Comment: "SELECT * FROM comments WHERE id = ?";

    /// Oldest first.
    all for_issue(issue_id: i64) -> Comment:
        "SELECT * FROM comments WHERE issue_id = ? ORDER BY id";
    one count(issue_id: i64) -> i64: "SELECT COUNT(*) FROM comments WHERE issue_id = ?";

    /// Writes back body, minimized reason and time of change.
    run update(comment: &Comment):
        "UPDATE comments SET body = ?, minimized_reason = ?, updated_at = ? WHERE id = ?",
        [comment.body, comment.minimized_reason, comment.updated_at, comment.id];
}
