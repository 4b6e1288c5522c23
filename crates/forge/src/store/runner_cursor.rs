//! Up to which event the built-in runner has looked for something to run.

use super::events::Event;
use crate::store::prelude::*;

/// The next event that may start a run.
pub(crate) fn next(conn: &Connection) -> Found<Event> {
    // The kinds stand here as in the index, which is used for nothing else.
    conn.find(
        "SELECT * FROM events
             WHERE id > (SELECT event_id FROM runner_cursor)
               AND kind IN ('push', 'pull_request')
             ORDER BY id LIMIT 1",
        [],
    )
}

/// Goes on behind an event; false where someone else already has.
pub(crate) fn pass(tx: &Transaction<'_>, event_id: i64) -> rusqlite::Result<bool> {
    let moved = tx
        .prepare_cached("UPDATE runner_cursor SET event_id = ?1 WHERE event_id < ?1")?
        .execute([event_id])?;
    Ok(moved == 1)
}
