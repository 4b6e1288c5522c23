//! Events, from which webhooks and workflow runs are made.

use crate::store::prelude::*;
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

pub(crate) fn record(tx: &Transaction<'_>, event: &NewEvent<'_>) -> rusqlite::Result<i64> {
    insert!(tx => events {
        repository_id: event.repository_id, actor_id: event.actor_id, kind: event.kind,
        action: event.action, subject_id: event.subject_id,
        data: event.data.as_ref().map(Value::to_string), created_at: event.at,
    })
}

sql! {
    /// The next ones after `id`, oldest first.
    all after(id: i64, limit: usize) -> Event:
        "SELECT * FROM events WHERE id > ? ORDER BY id LIMIT ?";

    /// The id of the last one; zero where nothing has happened.
    one newest() -> i64: "SELECT coalesce(max(id), 0) FROM events";
}

from_row! {
    (_conn, row) => Event {
        id, repository_id, actor_id, kind, action, subject_id;
        data: json_column(row, "data")?,
    }
}
