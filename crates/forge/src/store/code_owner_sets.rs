//! The code owners of a pull request.

use rusqlite::OptionalExtension as _;
use serde_json::json;

use crate::store::prelude::*;
use crate::store::users;

/// Of each set, one has to approve.
pub(crate) fn for_pull(conn: &Connection, pull_id: i64) -> Rows<Vec<User>> {
    let sets: Vec<String> = conn
        .prepare_cached("SELECT owners FROM code_owner_sets WHERE pull_id = ? ORDER BY owners")?
        .query_map([pull_id], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    sets.iter()
        .map(|text| {
            let ids: Vec<i64> = serde_json::from_str(text).unwrap_or_default();
            ids.into_iter()
                .filter_map(|id| users::by_id(conn, id).optional().transpose())
                .collect()
        })
        .collect()
}

pub(crate) fn replace(
    tx: &Transaction<'_>,
    pull_id: i64,
    sets: &[Vec<i64>],
) -> rusqlite::Result<()> {
    tx.prepare_cached("DELETE FROM code_owner_sets WHERE pull_id = ?")?
        .execute([pull_id])?;
    for owners in sets {
        tx.prepare_cached("INSERT OR IGNORE INTO code_owner_sets (pull_id, owners) VALUES (?, ?)")?
            .execute(params![pull_id, json!(owners).to_string()])?;
    }
    Ok(())
}
