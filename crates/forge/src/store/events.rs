//! Events, from which webhooks and workflow runs are made.

use crate::store::prelude::*;
use serde_json::Value;

row! {
    /// Something that happened, as a webhook would name it: `pull_request` with
    /// the action `opened`.
    Event by (_conn, row) {
        id: i64,
        repository_id: i64,
        actor_id: Option<i64>,
        kind: String,
        action: Option<String>,
        subject_id: Option<i64>,
        data: Option<Value> = json_column(row, "data")?,
    }
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

inserts! {
    record(event: &NewEvent<'_>) into events {
        repository_id: event.repository_id, actor_id: event.actor_id, kind: event.kind,
        action: event.action, subject_id: event.subject_id,
        data: event.data.as_ref().map(Value::to_string), created_at: event.at,
    }
}

sql! {
    /// The next ones after `id`, oldest first.
    all after(id: i64, limit: usize) -> Event:
        "SELECT * FROM events WHERE id > ? ORDER BY id LIMIT ?";

    /// The id of the last one; zero where nothing has happened.
    one newest() -> i64: "SELECT coalesce(max(id), 0) FROM events";
}
