//! Branches and tags as the forge last saw them. git has the truth; see
//! [`actions::pushes`](crate::actions::pushes) for the difference.

use crate::store::prelude::*;
use std::collections::BTreeMap;

/// Full names and what they point to.
pub(crate) type Refs = BTreeMap<String, String>;

pub(crate) fn for_repository(conn: &Connection, repository_id: i64) -> rusqlite::Result<Refs> {
    let rows = conn.all_with(
        "SELECT name, oid FROM refs WHERE repository_id = ?",
        [repository_id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    );
    rows.map(|rows| rows.into_iter().collect())
}

sql! {
    /// By its full name.
    find find(repository_id: i64, name: &str) -> String:
        "SELECT oid FROM refs WHERE repository_id = ? AND name = ?";
}

pub(crate) fn set(
    tx: &Transaction<'_>,
    repository_id: i64,
    name: &str,
    oid: Option<&str>,
) -> rusqlite::Result<()> {
    match oid {
        Some(oid) => tx
            .prepare_cached(
                "INSERT INTO refs (repository_id, name, oid) VALUES (?, ?, ?)
                 ON CONFLICT DO UPDATE SET oid = excluded.oid",
            )?
            .execute(params![repository_id, name, oid]),
        None => tx
            .prepare_cached("DELETE FROM refs WHERE repository_id = ? AND name = ?")?
            .execute(params![repository_id, name]),
    }
    .map(drop)
}
