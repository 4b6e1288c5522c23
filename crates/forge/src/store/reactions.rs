//! Reactions to comments.

use crate::store::prelude::*;
use crate::store::users;

/// GitHub's eight, in the order in which it lists them.
pub(crate) const CONTENTS: [&str; 8] = [
    "+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes",
];

/// What one can react to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// An issue or a pull request, by the issue's id.
    Issue,
    Comment,
    Review,
    ReviewComment,
}

impl Subject {
    fn as_str(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::Comment => "comment",
            Self::Review => "review",
            Self::ReviewComment => "review_comment",
        }
    }
}

row! {
    Reaction by (conn, row) {
        id: i64,
        user: User = users::by_id(conn, row.get("user_id")?)?,
        content: String,
        created_at: String,
    }
}

/// The reaction, and whether it is new: one user reacts once in each way.
pub(crate) fn add(
    tx: &Transaction<'_>,
    subject: Subject,
    subject_id: i64,
    user_id: i64,
    content: &str,
    at: &str,
) -> rusqlite::Result<(Reaction, bool)> {
    let added = tx
        .prepare_cached(
            "INSERT OR IGNORE INTO reactions (subject, subject_id, user_id, content, created_at)
             VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![subject.as_str(), subject_id, user_id, content, at])?;
    let reaction = tx.one(
        "SELECT * FROM reactions
             WHERE subject = ? AND subject_id = ? AND user_id = ? AND content = ?",
        params![subject.as_str(), subject_id, user_id, content],
    )?;
    Ok((reaction, added > 0))
}

sql! {
    all for_subject(subject: Subject, subject_id: i64) -> Reaction:
        "SELECT * FROM reactions WHERE subject = ? AND subject_id = ? ORDER BY id",
        [subject.as_str(), subject_id];
}

/// How often each of [`CONTENTS`] was given, in that order.
pub(crate) fn counts(
    conn: &Connection,
    subject: Subject,
    subject_id: i64,
) -> rusqlite::Result<[i64; 8]> {
    let mut counts = [0; 8];
    let mut statement = conn.prepare_cached(
        "SELECT content, COUNT(*) FROM reactions WHERE subject = ? AND subject_id = ?
         GROUP BY content",
    )?;
    let mut rows = statement.query(params![subject.as_str(), subject_id])?;
    while let Some(row) = rows.next()? {
        let content: String = row.get(0)?;
        if let Some(index) = CONTENTS.iter().position(|known| *known == content) {
            counts[index] = row.get(1)?;
        }
    }
    Ok(counts)
}
