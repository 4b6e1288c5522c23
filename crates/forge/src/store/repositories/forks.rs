//! A repository and its forks: a network.

use super::Repository;
use crate::store::prelude::*;

sql! {
    /// The repository that all forks of forks come from, which may be itself.
    one network(repository: &Repository) -> i64:
        "WITH RECURSIVE parents (id, fork_of) AS ( SELECT id, fork_of FROM repositories
         WHERE id = ? UNION SELECT repositories.id, repositories.fork_of FROM repositories
         JOIN parents ON repositories.id = parents.fork_of) SELECT id FROM parents
         WHERE fork_of IS NULL", [repository.id];
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

sql! {
    /// Newest first, as GitHub lists them.
    all forks_of(id: i64) -> Repository:
        "SELECT * FROM repositories WHERE fork_of = ? ORDER BY id DESC";
    one fork_count(id: i64) -> i64: "SELECT COUNT(*) FROM repositories WHERE fork_of = ?";
}
