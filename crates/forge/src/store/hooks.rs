//! Webhooks.

use crate::store::prelude::*;

row! {
    Hook by (_conn, row) {
        id: i64,
        repository_id: i64,
        url: String,
        content_type: ContentType,
        secret: Option<String>,
        insecure_ssl: String,
        events: Vec<String> = json_column(row, "events")?.unwrap_or_default(),
        active: bool,
        after_event_id: i64,
        created_at: String,
        updated_at: String,
    }
}

impl Hook {
    pub(crate) fn wants(&self, event: &str) -> bool {
        self.active && self.events.iter().any(|name| name == event || name == "*")
    }
}

text_enum! {
    ContentType {
        Json = "json",
        Form = "form",
    }
}

sql! {
    /// Stores a hook whose `id` does not matter yet.
    add create(hook: &Hook) -> i64:
        "INSERT INTO hooks (repository_id, url, content_type, secret, insecure_ssl, events,
         active, after_event_id, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT coalesce(max(id), 0) FROM events), ?8, ?9)",
        [hook.repository_id, hook.url, hook.content_type, hook.secret, hook.insecure_ssl,
         list(&hook.events), hook.active, hook.created_at, hook.updated_at];
    run delete(id: i64): "DELETE FROM hooks WHERE id = ?";
    find by_id(id: i64) -> Hook: "SELECT * FROM hooks WHERE id = ?";
    all for_repository(repository_id: i64) -> Hook:
        "SELECT * FROM hooks WHERE repository_id = ? ORDER BY id";

    /// The last event that every hook has been told of.
    one cursor() -> i64: "SELECT event_id FROM hook_cursor";
    run set_cursor(event_id: i64): "UPDATE hook_cursor SET event_id = ?";
}

fn list(events: &[String]) -> String {
    serde_json::Value::from(events).to_string()
}
