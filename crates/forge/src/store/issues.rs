//! Issues; a pull request has a row here as well.

use crate::store::prelude::*;

row! {
    /// An issue, or the part of a pull request that is one.
    Issue {
        id: i64,
        repository_id: i64,
        number: i64,
        is_pull: bool,
        author_id: i64,
        title: String,
        body: Option<String>,
        state: IssueState,
        state_reason: Option<String>,
        locked: bool,
        lock_reason: Option<String>,
        closed_at: Option<String>,
        closed_by_id: Option<i64>,
        created_at: String,
        updated_at: String,
    }
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

sql! {
    one by_id(id: i64) -> Issue: "SELECT * FROM issues WHERE id = ?";

    /// An issue or a pull request: numbers are shared.
    find by_number(repository_id: i64, number: i64) -> Issue:
        "SELECT * FROM issues WHERE repository_id = ? AND number = ?";

    /// Writes back what may change: text, state and lock.
    run update(issue: &Issue):
        "UPDATE issues
         SET title = ?2, body = ?3, state = ?4, state_reason = ?5, locked = ?6, lock_reason = ?7,
         closed_at = ?8, closed_by_id = ?9, updated_at = ?10 WHERE id = ?1",
        [issue.id, issue.title, issue.body, issue.state, issue.state_reason, issue.locked,
         issue.lock_reason, issue.closed_at, issue.closed_by_id, issue.updated_at];

    /// From now on it has branches; the caller writes the row about them.
    run make_pull(id: i64): "UPDATE issues SET is_pull = 1 WHERE id = ?";

    /// Something about it changed that has its own table.
    run touch(id: i64, at: &str): "UPDATE issues SET updated_at = ?2 WHERE id = ?1";

    /// How many are open, issues and pull requests together, as GitHub counts them.
    one open_count(repository_id: i64) -> i64:
        "SELECT COUNT(*) FROM issues WHERE repository_id = ? AND state = 'open'";
}
