//! A repository and its forks: a network.

use rusqlite::Connection;

use super::Repository;
use crate::store::select::{Found, Rows, Select as _};

/// The repository that all forks of forks come from, which may be itself.
pub(crate) fn network(conn: &Connection, repository: &Repository) -> rusqlite::Result<i64> {
    conn.one(
        "WITH RECURSIVE parents (id, fork_of) AS (
                 SELECT id, fork_of FROM repositories WHERE id = ?
                 UNION
                 SELECT repositories.id, repositories.fork_of
                 FROM repositories JOIN parents ON repositories.id = parents.fork_of)
             SELECT id FROM parents WHERE fork_of IS NULL",
        [repository.id],
    )
}

/// The repository of the same network that belongs to this account.
pub(crate) fn fork_of_owner(
    conn: &Connection,
    repository: &Repository,
    owner: &str,
) -> Found<Repository> {
    let root = network(conn, repository)?;
    let candidates: Vec<Repository> = conn.all(
        "SELECT repositories.* FROM repositories JOIN users ON users.id = owner_id
             WHERE users.login = ? ORDER BY repositories.id",
        [owner],
    )?;
    for candidate in candidates {
        if network(conn, &candidate)? == root {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

/// Newest first, as GitHub lists them.
pub(crate) fn forks_of(conn: &Connection, id: i64) -> Rows<Repository> {
    conn.all(
        "SELECT * FROM repositories WHERE fork_of = ? ORDER BY id DESC",
        [id],
    )
}

pub(crate) fn fork_count(conn: &Connection, id: i64) -> rusqlite::Result<i64> {
    conn.one("SELECT COUNT(*) FROM repositories WHERE fork_of = ?", [id])
}
