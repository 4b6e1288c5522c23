use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use crate::store::text_enum::text_enum;
use crate::store::users::{self, User};

/// A conversation about some lines of a diff, or about a whole file.
#[derive(Debug, Clone)]
pub(crate) struct Thread {
    pub(crate) id: i64,
    pub(crate) pull_id: i64,
    pub(crate) path: String,
    pub(crate) subject: Subject,
    pub(crate) side: Side,
    pub(crate) start_side: Option<Side>,
    /// In the newest commit; nowhere once the lines have changed.
    pub(crate) place: Place,
    pub(crate) commit_sha: String,
    /// In the commit that the first comment was made on.
    pub(crate) original_place: Place,
    pub(crate) original_commit_sha: String,
    pub(crate) outdated: bool,
    pub(crate) diff_hunk: String,
    pub(crate) resolved_by: Option<User>,
    pub(crate) created_at: String,
}

/// Where in a file and in its diff.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: Option<u32>,
    /// The first of several lines.
    pub(crate) start_line: Option<u32>,
    /// Lines below the first hunk header of the file's diff.
    pub(crate) position: Option<u32>,
}

text_enum! {
    Subject {
        Line = "line",
        File = "file",
    }
}

text_enum! {
    /// Of a split diff: what was, and what is.
    Side {
        Left = "LEFT",
        Right = "RIGHT",
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ReviewComment {
    pub(crate) id: i64,
    pub(crate) thread_id: i64,
    pub(crate) review_id: i64,
    pub(crate) in_reply_to_id: Option<i64>,
    pub(crate) user: User,
    pub(crate) body: String,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

pub(crate) struct NewThread<'a> {
    pub(crate) pull_id: i64,
    pub(crate) path: &'a str,
    pub(crate) subject: Subject,
    pub(crate) side: Side,
    pub(crate) start_side: Option<Side>,
    pub(crate) place: Place,
    pub(crate) commit_sha: &'a str,
    pub(crate) diff_hunk: &'a str,
    pub(crate) at: &'a str,
}

pub(crate) fn create(transaction: &Transaction<'_>, new: &NewThread<'_>) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "INSERT INTO review_threads
             (pull_id, path, subject_type, side, start_side, line, start_line, position, commit_sha,
              original_line, original_start_line, original_position, original_commit_sha,
              diff_hunk, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .insert(params![
            new.pull_id,
            new.path,
            new.subject,
            new.side,
            new.start_side,
            new.place.line,
            new.place.start_line,
            new.place.position,
            new.commit_sha,
            new.diff_hunk,
            new.at,
        ])
}

pub(crate) struct NewComment<'a> {
    pub(crate) thread_id: i64,
    pub(crate) review_id: i64,
    pub(crate) in_reply_to_id: Option<i64>,
    pub(crate) user_id: i64,
    pub(crate) body: &'a str,
    pub(crate) at: &'a str,
}

pub(crate) fn add_comment(
    transaction: &Transaction<'_>,
    new: &NewComment<'_>,
) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "INSERT INTO review_comments
             (thread_id, review_id, in_reply_to_id, user_id, body, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
        )?
        .insert(params![
            new.thread_id,
            new.review_id,
            new.in_reply_to_id,
            new.user_id,
            new.body,
            new.at,
        ])
}

pub(crate) fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<Option<Thread>> {
    connection
        .prepare_cached("SELECT * FROM review_threads WHERE id = ?")?
        .query_row([id], |row| thread(connection, row))
        .optional()
}

/// Those in which `viewer` can see a comment, oldest first.
pub(crate) fn of_pull(
    connection: &Connection,
    pull_id: i64,
    viewer: Option<i64>,
) -> rusqlite::Result<Vec<Thread>> {
    connection
        .prepare_cached(
            "SELECT * FROM review_threads WHERE pull_id = ?1 AND EXISTS (
                 SELECT * FROM review_comments JOIN reviews ON reviews.id = review_id
                 WHERE thread_id = review_threads.id
                   AND (reviews.state <> 'PENDING' OR reviews.user_id = ?2))
             ORDER BY id",
        )?
        .query_map(params![pull_id, viewer], |row| thread(connection, row))?
        .collect()
}

/// Whoever may see them.
pub(crate) fn all_of_pull(connection: &Connection, pull_id: i64) -> rusqlite::Result<Vec<Thread>> {
    connection
        .prepare_cached("SELECT * FROM review_threads WHERE pull_id = ? ORDER BY id")?
        .query_map([pull_id], |row| thread(connection, row))?
        .collect()
}

pub(crate) fn comment(connection: &Connection, id: i64) -> rusqlite::Result<Option<ReviewComment>> {
    connection
        .prepare_cached("SELECT * FROM review_comments WHERE id = ?")?
        .query_row([id], |row| comment_from_row(connection, row))
        .optional()
}

/// Those that `viewer` can see, oldest first.
pub(crate) fn comments_of_thread(
    connection: &Connection,
    thread_id: i64,
    viewer: Option<i64>,
) -> rusqlite::Result<Vec<ReviewComment>> {
    comments(
        connection,
        "thread_id = ?1 AND (reviews.state <> 'PENDING' OR reviews.user_id = ?2)",
        thread_id,
        viewer,
    )
}

pub(crate) fn comments_of_review(
    connection: &Connection,
    review_id: i64,
    viewer: Option<i64>,
) -> rusqlite::Result<Vec<ReviewComment>> {
    comments(
        connection,
        "review_id = ?1 AND (reviews.state <> 'PENDING' OR reviews.user_id = ?2)",
        review_id,
        viewer,
    )
}

/// The published ones.
pub(crate) fn comments_of_pull(
    connection: &Connection,
    pull_id: i64,
) -> rusqlite::Result<Vec<ReviewComment>> {
    comments(
        connection,
        "reviews.pull_id = ?1 AND (reviews.state <> 'PENDING' OR reviews.user_id = ?2)",
        pull_id,
        None,
    )
}

/// The published ones of all pull requests.
pub(crate) fn comments_of_repository(
    connection: &Connection,
    repository_id: i64,
) -> rusqlite::Result<Vec<ReviewComment>> {
    comments(
        connection,
        "reviews.pull_id IN (SELECT pulls.id FROM pulls JOIN issues USING (id) WHERE repository_id = ?1)
         AND (reviews.state <> 'PENDING' OR reviews.user_id = ?2)",
        repository_id,
        None,
    )
}

fn comments(
    connection: &Connection,
    condition: &str,
    of: i64,
    viewer: Option<i64>,
) -> rusqlite::Result<Vec<ReviewComment>> {
    let sql = format!(
        "SELECT review_comments.* FROM review_comments JOIN reviews ON reviews.id = review_id
         WHERE {condition} ORDER BY review_comments.id"
    );
    connection
        .prepare_cached(&sql)?
        .query_map(params![of, viewer], |row| comment_from_row(connection, row))?
        .collect()
}

pub(crate) fn count_of_pull(connection: &Connection, pull_id: i64) -> rusqlite::Result<u64> {
    connection
        .prepare_cached(
            "SELECT count(*) FROM review_comments JOIN reviews ON reviews.id = review_id
             WHERE pull_id = ? AND reviews.state <> 'PENDING'",
        )?
        .query_row([pull_id], |row| row.get(0))
}

/// Of published conversations that nobody has marked as resolved.
pub(crate) fn unresolved(connection: &Connection, pull_id: i64) -> rusqlite::Result<u64> {
    let threads = of_pull(connection, pull_id, None)?;
    let open = threads.iter().filter(|thread| thread.resolved_by.is_none());
    Ok(open.count() as u64)
}

/// Where the lines are after a push.
pub(crate) fn set_place(
    transaction: &Transaction<'_>,
    id: i64,
    place: Option<Place>,
    commit_sha: &str,
) -> rusqlite::Result<()> {
    let outdated = place.is_none();
    let place = place.unwrap_or_default();
    transaction
        .prepare_cached(
            "UPDATE review_threads
             SET line = ?, start_line = ?, position = ?, commit_sha = ?, outdated = ? WHERE id = ?",
        )?
        .execute(params![
            place.line,
            place.start_line,
            place.position,
            commit_sha,
            outdated,
            id,
        ])
        .map(drop)
}

pub(crate) fn set_resolved(
    transaction: &Transaction<'_>,
    id: i64,
    by: Option<i64>,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE review_threads SET resolved_by = ? WHERE id = ?")?
        .execute(params![by, id])
        .map(drop)
}

pub(crate) fn set_comment_body(
    transaction: &Transaction<'_>,
    id: i64,
    body: &str,
    at: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE review_comments SET body = ?, updated_at = ? WHERE id = ?")?
        .execute(params![body, at, id])
        .map(drop)
}

/// The last comment takes its thread with it.
pub(crate) fn delete_comment(
    transaction: &Transaction<'_>,
    comment: &ReviewComment,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM review_comments WHERE id = ?")?
        .execute([comment.id])?;
    delete_empty_threads(transaction)
}

/// What is left when comments were deleted with their review.
pub(crate) fn delete_empty_threads(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "DELETE FROM review_threads WHERE NOT EXISTS
             (SELECT * FROM review_comments WHERE thread_id = review_threads.id)",
        )?
        .execute([])
        .map(drop)
}

fn thread(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<Thread> {
    let resolved_by: Option<i64> = row.get("resolved_by")?;
    Ok(Thread {
        id: row.get("id")?,
        pull_id: row.get("pull_id")?,
        path: row.get("path")?,
        subject: row.get("subject_type")?,
        side: row.get("side")?,
        start_side: row.get("start_side")?,
        place: Place {
            line: row.get("line")?,
            start_line: row.get("start_line")?,
            position: row.get("position")?,
        },
        commit_sha: row.get("commit_sha")?,
        original_place: Place {
            line: row.get("original_line")?,
            start_line: row.get("original_start_line")?,
            position: row.get("original_position")?,
        },
        original_commit_sha: row.get("original_commit_sha")?,
        outdated: row.get("outdated")?,
        diff_hunk: row.get("diff_hunk")?,
        resolved_by: resolved_by
            .map(|id| users::by_id(connection, id))
            .transpose()?,
        created_at: row.get("created_at")?,
    })
}

fn comment_from_row(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<ReviewComment> {
    Ok(ReviewComment {
        id: row.get("id")?,
        thread_id: row.get("thread_id")?,
        review_id: row.get("review_id")?,
        in_reply_to_id: row.get("in_reply_to_id")?,
        user: users::by_id(connection, row.get("user_id")?)?,
        body: row.get("body")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
