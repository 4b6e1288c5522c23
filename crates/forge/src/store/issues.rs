use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

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
    pub(crate) milestone_id: Option<i64>,
    pub(crate) closed_at: Option<String>,
    pub(crate) closed_by_id: Option<i64>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IssueState {
    Open,
    Closed,
}

impl IssueState {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
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
/// the largest. The writer is alone, so nobody else takes it.
pub(crate) fn create(transaction: &Transaction<'_>, new: &NewIssue<'_>) -> rusqlite::Result<Issue> {
    let id = transaction
        .prepare_cached(
            "INSERT INTO issues
             (repository_id, number, is_pull, author_id, title, body, created_at, updated_at)
             VALUES (?1, (SELECT COALESCE(MAX(number), 0) + 1 FROM issues WHERE repository_id = ?1),
                     ?2, ?3, ?4, ?5, ?6, ?6)",
        )?
        .insert(params![
            new.repository_id,
            new.is_pull,
            new.author_id,
            new.title,
            new.body,
            new.at,
        ])?;
    by_id(transaction, id)
}

pub(crate) fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<Issue> {
    connection
        .prepare_cached("SELECT * FROM issues WHERE id = ?")?
        .query_row([id], from_row)
}

/// An issue or a pull request: numbers are shared.
pub(crate) fn by_number(
    connection: &Connection,
    repository_id: i64,
    number: i64,
) -> rusqlite::Result<Option<Issue>> {
    connection
        .prepare_cached("SELECT * FROM issues WHERE repository_id = ? AND number = ?")?
        .query_row([repository_id, number], from_row)
        .optional()
}

/// Writes back what may change: text, state, lock and milestone.
pub(crate) fn update(transaction: &Transaction<'_>, issue: &Issue) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE issues SET title = ?2, body = ?3, state = ?4, state_reason = ?5, locked = ?6,
             lock_reason = ?7, milestone_id = ?8, closed_at = ?9, closed_by_id = ?10, updated_at = ?11
             WHERE id = ?1",
        )?
        .execute(params![
            issue.id,
            issue.title,
            issue.body,
            issue.state.as_str(),
            issue.state_reason,
            issue.locked,
            issue.lock_reason,
            issue.milestone_id,
            issue.closed_at,
            issue.closed_by_id,
            issue.updated_at,
        ])
        .map(drop)
}

/// From now on it has branches; the caller writes the row about them.
pub(crate) fn make_pull(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE issues SET is_pull = 1 WHERE id = ?")?
        .execute([id])
        .map(drop)
}

/// Something about it changed that has its own table.
pub(crate) fn touch(transaction: &Transaction<'_>, id: i64, at: &str) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE issues SET updated_at = ? WHERE id = ?")?
        .execute(params![at, id])
        .map(drop)
}

/// How many are open, issues and pull requests together, as GitHub counts them.
pub(crate) fn open_count(connection: &Connection, repository_id: i64) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT COUNT(*) FROM issues WHERE repository_id = ? AND state = 'open'")?
        .query_row([repository_id], |row| row.get(0))
}

pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Issue> {
    let state: String = row.get("state")?;
    Ok(Issue {
        id: row.get("id")?,
        repository_id: row.get("repository_id")?,
        number: row.get("number")?,
        is_pull: row.get("is_pull")?,
        author_id: row.get("author_id")?,
        title: row.get("title")?,
        body: row.get("body")?,
        state: if state == "open" {
            IssueState::Open
        } else {
            IssueState::Closed
        },
        state_reason: row.get("state_reason")?,
        locked: row.get("locked")?,
        lock_reason: row.get("lock_reason")?,
        milestone_id: row.get("milestone_id")?,
        closed_at: row.get("closed_at")?,
        closed_by_id: row.get("closed_by_id")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
