//! Webhooks.

use crate::store::prelude::*;

#[derive(Debug, Clone)]
pub(crate) struct Hook {
    pub(crate) id: i64,
    pub(crate) repository_id: i64,
    pub(crate) url: String,
    pub(crate) content_type: ContentType,
    pub(crate) secret: Option<String>,
    pub(crate) insecure_ssl: String,
    pub(crate) events: Vec<String>,
    pub(crate) active: bool,
    pub(crate) after_event_id: i64,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

impl Hook {
    pub(crate) fn wants(&self, event: &str) -> bool {
        self.active && self.events.iter().any(|name| name == event || name == "*")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentType {
    Json,
    Form,
}

impl ContentType {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Form => "form",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "json" => Some(Self::Json),
            "form" => Some(Self::Form),
            _ => None,
        }
    }
}

sql! {
    /// Stores a hook whose `id` does not matter yet.
    add create(hook: &Hook) -> i64:
        "INSERT INTO hooks (repository_id, url, content_type, secret, insecure_ssl, events,
         active, after_event_id, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT coalesce(max(id), 0) FROM events), ?8, ?9)", [hook.repository_id, hook.url, hook.content_type.as_str(), hook.secret, hook.insecure_ssl, list(&hook.events), hook.active, hook.created_at, hook.updated_at];
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

impl FromRow for Hook {
    fn from_row(_: &Connection, row: &Row<'_>) -> rusqlite::Result<Self> {
        let content_type: String = row.get("content_type")?;
        let events: String = row.get("events")?;
        columns!(row => Hook {
            id, repository_id, url, secret, insecure_ssl, active, after_event_id, created_at,
            updated_at;
            content_type: ContentType::parse(&content_type).unwrap_or(ContentType::Json),
            events: serde_json::from_str(&events).unwrap_or_default(),
        })
    }
}
