//! Review threads and their comments.

use crate::store::prelude::*;
use crate::store::users;

row! {
    /// A conversation about some lines of a diff, or about a whole file.
    Thread by (conn, row) {
        id: i64,
        pull_id: i64,
        path: String,
        subject: Subject = row.get("subject_type")?,
        side: Side,
        start_side: Option<Side>,
        /// In the newest commit; nowhere once the lines have changed.
        place: Place = Place::from_columns(row, "")?,
        commit_sha: String,
        /// In the commit that the first comment was made on.
        original_place: Place = Place::from_columns(row, "original_")?,
        original_commit_sha: String,
        outdated: bool,
        diff_hunk: String,
        resolved_by: Option<User> = users::in_column(conn, row, "resolved_by")?,
    }
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

row! {
    ReviewComment by (conn, row) {
        id: i64,
        thread_id: i64,
        review_id: i64,
        in_reply_to_id: Option<i64>,
        user: User = users::by_id(conn, row.get("user_id")?)?,
        body: String,
        created_at: String,
        updated_at: String,
    }
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
}

inserts! {
    create(new: &NewThread<'_>) into review_threads {
        pull_id: new.pull_id, path: new.path, subject_type: new.subject, side: new.side,
        start_side: new.start_side, line: new.place.line, start_line: new.place.start_line,
        position: new.place.position, commit_sha: new.commit_sha, original_line: new.place.line,
        original_start_line: new.place.start_line, original_position: new.place.position,
        original_commit_sha: new.commit_sha, diff_hunk: new.diff_hunk,
    }
}

pub(crate) struct NewComment<'a> {
    pub(crate) thread_id: i64,
    pub(crate) review_id: i64,
    pub(crate) in_reply_to_id: Option<i64>,
    pub(crate) user_id: i64,
    pub(crate) body: &'a str,
    pub(crate) at: &'a str,
}

inserts! {
    add_comment(new: &NewComment<'_>) into review_comments {
        thread_id: new.thread_id, review_id: new.review_id, in_reply_to_id: new.in_reply_to_id,
        user_id: new.user_id, body: new.body, created_at: new.at, updated_at: new.at,
    }
}

sql! {
    find by_id(id: i64) -> Thread: "SELECT * FROM review_threads WHERE id = ?";

    /// Oldest first, without those of pending reviews.
    all for_pull(pull_id: i64) -> Thread:
        "SELECT * FROM review_threads WHERE pull_id = ? AND EXISTS ( SELECT *
         FROM review_comments JOIN reviews ON reviews.id = review_id
         WHERE thread_id = review_threads.id AND state <> 'PENDING') ORDER BY id";

    /// Those of pending reviews as well.
    all all_of_pull(pull_id: i64) -> Thread:
        "SELECT * FROM review_threads WHERE pull_id = ? ORDER BY id";
    find comment(id: i64) -> ReviewComment: "SELECT * FROM review_comments WHERE id = ?";
}

pub(crate) fn comments_of_thread(conn: &Connection, id: i64) -> Rows<ReviewComment> {
    comments(conn, "thread_id = ? AND state <> 'PENDING'", id)
}

/// Also of a pending one.
pub(crate) fn comments_of_review(conn: &Connection, id: i64) -> Rows<ReviewComment> {
    comments(conn, "review_id = ?", id)
}

pub(crate) fn comments_of_pull(conn: &Connection, id: i64) -> Rows<ReviewComment> {
    comments(conn, "pull_id = ? AND state <> 'PENDING'", id)
}

/// Oldest first.
fn comments(conn: &Connection, condition: &str, id: i64) -> Rows<ReviewComment> {
    let sql = format!(
        "SELECT review_comments.* FROM review_comments JOIN reviews ON reviews.id = review_id
         WHERE {condition} ORDER BY review_comments.id"
    );
    conn.all(&sql, [id])
}

sql! {
    one count_of_pull(pull_id: i64) -> u64:
        "SELECT count(*) FROM review_comments JOIN reviews ON reviews.id = review_id
         WHERE pull_id = ? AND state <> 'PENDING'";
}

/// Conversations that no one has marked as resolved.
pub(crate) fn unresolved(conn: &Connection, pull_id: i64) -> rusqlite::Result<u64> {
    let threads = for_pull(conn, pull_id)?;
    let open = threads.iter().filter(|thread| thread.resolved_by.is_none());
    Ok(open.count() as u64)
}

/// Where the lines are after a push.
pub(crate) fn set_place(
    tx: &Transaction<'_>,
    id: i64,
    place: Option<Place>,
    commit_sha: &str,
) -> rusqlite::Result<()> {
    let outdated = place.is_none();
    let place = place.unwrap_or_default();
    tx.run(
        "UPDATE review_threads
             SET line = ?, start_line = ?, position = ?, commit_sha = ?, outdated = ? WHERE id = ?",
        params![
            place.line,
            place.start_line,
            place.position,
            commit_sha,
            outdated,
            id,
        ],
    )
}

sql! {
    run set_resolved(id: i64, by: Option<i64>):
        "UPDATE review_threads SET resolved_by = ?2 WHERE id = ?1";
}

/// The last comment takes its thread with it.
pub(crate) fn delete_comment(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    tx.run("DELETE FROM review_comments WHERE id = ?", [id])?;
    delete_empty(tx)
}

sql! {
    /// Threads whose comments were deleted.
    run delete_empty():
        "DELETE FROM review_threads WHERE NOT EXISTS (SELECT * FROM review_comments
         WHERE thread_id = review_threads.id)";
    run set_comment_body(id: i64, body: &str, at: &str):
        "UPDATE review_comments SET body = ?2, updated_at = ?3 WHERE id = ?1";
}

impl Place {
    fn from_columns(row: &Row<'_>, prefix: &str) -> rusqlite::Result<Self> {
        let column = |name: &str| row.get(format!("{prefix}{name}").as_str());
        Ok(Self {
            line: column("line")?,
            start_line: column("start_line")?,
            position: column("position")?,
        })
    }
}
