//! Webhooks.

use rusqlite::{Connection, Row, Transaction, params};

use crate::store::select::{Found, FromRow, Rows, Select as _, columns};

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

/// Stores a hook whose `id` does not matter yet.
pub(crate) fn create(tx: &Transaction<'_>, hook: &Hook) -> rusqlite::Result<i64> {
    tx.add(
        "INSERT INTO hooks (repository_id, url, content_type, secret, insecure_ssl, events,
                                active, after_event_id, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,
                     (SELECT coalesce(max(id), 0) FROM events), ?8, ?9)",
        params![
            hook.repository_id,
            hook.url,
            hook.content_type.as_str(),
            hook.secret,
            hook.insecure_ssl,
            list(&hook.events),
            hook.active,
            hook.created_at,
            hook.updated_at,
        ],
    )
}

pub(crate) fn delete(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    tx.run("DELETE FROM hooks WHERE id = ?", [id])
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> Found<Hook> {
    conn.find("SELECT * FROM hooks WHERE id = ?", [id])
}

pub(crate) fn for_repository(conn: &Connection, repository_id: i64) -> Rows<Hook> {
    conn.all(
        "SELECT * FROM hooks WHERE repository_id = ? ORDER BY id",
        [repository_id],
    )
}

/// The last event that every hook has been told of.
pub(crate) fn cursor(conn: &Connection) -> rusqlite::Result<i64> {
    conn.one("SELECT event_id FROM hook_cursor", [])
}

pub(crate) fn set_cursor(tx: &Transaction<'_>, event_id: i64) -> rusqlite::Result<()> {
    tx.run("UPDATE hook_cursor SET event_id = ?", [event_id])
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
