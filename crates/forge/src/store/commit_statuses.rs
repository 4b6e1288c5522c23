use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::check_state::StatusState;
use super::users::{self, User};

/// What somebody said about a commit at one time, under one heading.
#[derive(Debug, Clone)]
pub(crate) struct CommitStatus {
    pub(crate) id: i64,
    pub(crate) repository_id: i64,
    pub(crate) sha: String,
    pub(crate) context: String,
    pub(crate) state: StatusState,
    pub(crate) description: Option<String>,
    pub(crate) target_url: Option<String>,
    pub(crate) creator: Option<User>,
    pub(crate) created_at: String,
}

pub(crate) struct NewCommitStatus<'a> {
    pub(crate) repository_id: i64,
    pub(crate) sha: &'a str,
    pub(crate) context: &'a str,
    pub(crate) state: StatusState,
    pub(crate) description: Option<&'a str>,
    pub(crate) target_url: Option<&'a str>,
    pub(crate) creator_id: i64,
    pub(crate) at: &'a str,
}

pub(crate) fn create(
    transaction: &Transaction<'_>,
    new: &NewCommitStatus<'_>,
) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "INSERT INTO commit_statuses
             (repository_id, sha, context, state, description, target_url, creator_id, created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .insert(params![
            new.repository_id,
            new.sha,
            new.context,
            new.state,
            new.description,
            new.target_url,
            new.creator_id,
            new.at,
        ])
}

pub(crate) fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<Option<CommitStatus>> {
    connection
        .prepare_cached("SELECT * FROM commit_statuses WHERE id = ?")?
        .query_row([id], |row| from_row(connection, row))
        .optional()
}

/// All that was ever said, newest first.
pub(crate) fn of_commit(
    connection: &Connection,
    repository_id: i64,
    sha: &str,
) -> rusqlite::Result<Vec<CommitStatus>> {
    connection
        .prepare_cached(
            "SELECT * FROM commit_statuses WHERE repository_id = ? AND sha = ? ORDER BY id DESC",
        )?
        .query_map(params![repository_id, sha], |row| from_row(connection, row))?
        .collect()
}

/// What counts: the latest of every context, in the order of their first words.
pub(crate) fn latest_of_commit(
    connection: &Connection,
    repository_id: i64,
    sha: &str,
) -> rusqlite::Result<Vec<CommitStatus>> {
    connection
        .prepare_cached(
            "SELECT commit_statuses.* FROM commit_statuses JOIN
               (SELECT max(id) AS latest, min(id) AS first FROM commit_statuses
                WHERE repository_id = ? AND sha = ? GROUP BY context)
             ON id = latest ORDER BY first",
        )?
        .query_map(params![repository_id, sha], |row| from_row(connection, row))?
        .collect()
}

pub(crate) fn count(
    connection: &Connection,
    repository_id: i64,
    sha: &str,
    context: &str,
) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "SELECT count(*) FROM commit_statuses
             WHERE repository_id = ? AND sha = ? AND context = ?",
        )?
        .query_row(params![repository_id, sha, context], |row| row.get(0))
}

fn from_row(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<CommitStatus> {
    let creator_id: Option<i64> = row.get("creator_id")?;
    Ok(CommitStatus {
        id: row.get("id")?,
        repository_id: row.get("repository_id")?,
        sha: row.get("sha")?,
        context: row.get("context")?,
        state: row.get("state")?,
        description: row.get("description")?,
        target_url: row.get("target_url")?,
        creator: creator_id
            .map(|id| users::by_id(connection, id))
            .transpose()?,
        created_at: row.get("created_at")?,
    })
}
