//! A repository and its forks: a network.

use rusqlite::Connection;

use super::{Repository, from_row};
use crate::store::select::{Found, Rows, Select as _};

/// The repository that all forks of forks come from, which may be itself.
pub(crate) fn network(connection: &Connection, repository: &Repository) -> rusqlite::Result<i64> {
    connection.one(
        "WITH RECURSIVE parents (id, fork_of) AS (
                 SELECT id, fork_of FROM repositories WHERE id = ?
                 UNION
                 SELECT repositories.id, repositories.fork_of
                 FROM repositories JOIN parents ON repositories.id = parents.fork_of)
             SELECT id FROM parents WHERE fork_of IS NULL",
        [repository.id],
        |row| row.get(0),
    )
}

/// The repository of the same network that belongs to this account.
pub(crate) fn fork_of_owner(
    connection: &Connection,
    repository: &Repository,
    owner: &str,
) -> Found<Repository> {
    let root = network(connection, repository)?;
    let candidates: Vec<Repository> = connection
        .prepare_cached(
            "SELECT repositories.* FROM repositories JOIN users ON users.id = owner_id
             WHERE users.login = ? ORDER BY repositories.id",
        )?
        .query_map([owner], |row| from_row(connection, row))?
        .collect::<rusqlite::Result<_>>()?;
    for candidate in candidates {
        if network(connection, &candidate)? == root {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

/// Newest first, as GitHub lists them.
pub(crate) fn forks_of(connection: &Connection, id: i64) -> Rows<Repository> {
    connection.all(
        "SELECT * FROM repositories WHERE fork_of = ? ORDER BY id DESC",
        [id],
        |row| from_row(connection, row),
    )
}

pub(crate) fn fork_count(connection: &Connection, id: i64) -> rusqlite::Result<i64> {
    connection.one(
        "SELECT COUNT(*) FROM repositories WHERE fork_of = ?",
        [id],
        |row| row.get(0),
    )
}
