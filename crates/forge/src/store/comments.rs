use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

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
    transaction: &Transaction<'_>,
    issue_id: i64,
    author_id: i64,
    body: &str,
    at: &str,
) -> rusqlite::Result<Comment> {
    let id = transaction
        .prepare_cached(
            "INSERT INTO comments (issue_id, author_id, body, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?4)",
        )?
        .insert(params![issue_id, author_id, body, at])?;
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

pub(crate) fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<Option<Comment>> {
    connection
        .prepare_cached("SELECT * FROM comments WHERE id = ?")?
        .query_row([id], from_row)
        .optional()
}

/// Oldest first.
pub(crate) fn of_issue(connection: &Connection, issue_id: i64) -> rusqlite::Result<Vec<Comment>> {
    connection
        .prepare_cached("SELECT * FROM comments WHERE issue_id = ? ORDER BY id")?
        .query_map([issue_id], from_row)?
        .collect()
}

/// Of all issues and pull requests there, oldest first.
pub(crate) fn of_repository(
    connection: &Connection,
    repository_id: i64,
) -> rusqlite::Result<Vec<Comment>> {
    connection
        .prepare_cached(
            "SELECT comments.* FROM comments JOIN issues ON issues.id = issue_id
             WHERE repository_id = ? ORDER BY comments.id",
        )?
        .query_map([repository_id], from_row)?
        .collect()
}

pub(crate) fn count(connection: &Connection, issue_id: i64) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT COUNT(*) FROM comments WHERE issue_id = ?")?
        .query_row([issue_id], |row| row.get(0))
}

/// Writes back body, minimized reason and time of change.
pub(crate) fn update(transaction: &Transaction<'_>, comment: &Comment) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE comments SET body = ?, minimized_reason = ?, updated_at = ? WHERE id = ?",
        )?
        .execute(params![
            comment.body,
            comment.minimized_reason,
            comment.updated_at,
            comment.id
        ])
        .map(drop)
}

pub(crate) fn delete(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM comments WHERE id = ?")?
        .execute([id])
        .map(drop)
}

pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Comment> {
    Ok(Comment {
        id: row.get("id")?,
        issue_id: row.get("issue_id")?,
        author_id: row.get("author_id")?,
        body: row.get("body")?,
        minimized_reason: row.get("minimized_reason")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
