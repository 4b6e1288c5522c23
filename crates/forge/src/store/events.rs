use rusqlite::{Connection, Row, Transaction, params};
use serde_json::Value;

/// Something that happened, as a webhook would name it: `pull_request` with
/// the action `opened`.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) id: i64,
    pub(crate) repository_id: i64,
    pub(crate) actor_id: Option<i64>,
    pub(crate) kind: String,
    pub(crate) action: Option<String>,
    pub(crate) subject_id: Option<i64>,
    pub(crate) data: Option<Value>,
    pub(crate) created_at: String,
}

pub(crate) struct NewEvent<'a> {
    pub(crate) repository_id: i64,
    pub(crate) actor_id: Option<i64>,
    pub(crate) kind: &'a str,
    pub(crate) action: Option<&'a str>,
    pub(crate) subject_id: Option<i64>,
    pub(crate) data: Option<Value>,
    pub(crate) at: &'a str,
}

pub(crate) fn record(transaction: &Transaction<'_>, event: &NewEvent<'_>) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "INSERT INTO events (repository_id, actor_id, kind, action, subject_id, data, created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .insert(params![
            event.repository_id,
            event.actor_id,
            event.kind,
            event.action,
            event.subject_id,
            event.data.as_ref().map(Value::to_string),
            event.at,
        ])
}

/// The next ones after `id`, oldest first.
pub(crate) fn after(
    connection: &Connection,
    id: i64,
    limit: usize,
) -> rusqlite::Result<Vec<Event>> {
    connection
        .prepare_cached("SELECT * FROM events WHERE id > ? ORDER BY id LIMIT ?")?
        .query_map(params![id, limit], from_row)?
        .collect()
}

/// The id of the last one; zero where nothing has happened.
pub(crate) fn newest(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT coalesce(max(id), 0) FROM events")?
        .query_row([], |row| row.get(0))
}

pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Event> {
    let data: Option<String> = row.get("data")?;
    Ok(Event {
        id: row.get("id")?,
        repository_id: row.get("repository_id")?,
        actor_id: row.get("actor_id")?,
        kind: row.get("kind")?,
        action: row.get("action")?,
        subject_id: row.get("subject_id")?,
        data: data.and_then(|text| serde_json::from_str(&text).ok()),
        created_at: row.get("created_at")?,
    })
}
