use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};
use serde_json::Value;

/// Something that happened to an issue or pull request, in GitHub's word.
#[derive(Debug, Clone)]
pub(crate) struct TimelineEvent {
    pub(crate) id: i64,
    pub(crate) issue_id: i64,
    pub(crate) actor_id: Option<i64>,
    pub(crate) event: String,
    pub(crate) data: Option<Value>,
    pub(crate) created_at: String,
}

pub(crate) struct NewTimelineEvent<'a> {
    pub(crate) issue_id: i64,
    pub(crate) actor_id: Option<i64>,
    pub(crate) event: &'a str,
    /// The keys that the event has beyond those that all have, as the API
    /// shows them; a user is `{"…": {"id": 1}}`, filled in when shown.
    pub(crate) data: Option<Value>,
    pub(crate) at: &'a str,
}

pub(crate) fn record(
    transaction: &Transaction<'_>,
    new: &NewTimelineEvent<'_>,
) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "INSERT INTO timeline (issue_id, actor_id, event, data, created_at)
             VALUES (?, ?, ?, ?, ?)",
        )?
        .insert(params![
            new.issue_id,
            new.actor_id,
            new.event,
            new.data.as_ref().map(Value::to_string),
            new.at,
        ])
}

/// Oldest first.
pub(crate) fn of_issue(
    connection: &Connection,
    issue_id: i64,
) -> rusqlite::Result<Vec<TimelineEvent>> {
    connection
        .prepare_cached("SELECT * FROM timeline WHERE issue_id = ? ORDER BY id")?
        .query_map([issue_id], from_row)?
        .collect()
}

/// Newest first, as GitHub lists them.
pub(crate) fn of_repository(
    connection: &Connection,
    repository_id: i64,
) -> rusqlite::Result<Vec<TimelineEvent>> {
    connection
        .prepare_cached(
            "SELECT timeline.* FROM timeline JOIN issues ON issues.id = issue_id
             WHERE repository_id = ? ORDER BY timeline.id DESC",
        )?
        .query_map([repository_id], from_row)?
        .collect()
}

pub(crate) fn by_id(
    connection: &Connection,
    repository_id: i64,
    id: i64,
) -> rusqlite::Result<Option<TimelineEvent>> {
    connection
        .prepare_cached(
            "SELECT timeline.* FROM timeline JOIN issues ON issues.id = issue_id
             WHERE timeline.id = ? AND repository_id = ?",
        )?
        .query_row([id, repository_id], from_row)
        .optional()
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<TimelineEvent> {
    let data: Option<String> = row.get("data")?;
    Ok(TimelineEvent {
        id: row.get("id")?,
        issue_id: row.get("issue_id")?,
        actor_id: row.get("actor_id")?,
        event: row.get("event")?,
        data: data.and_then(|text| serde_json::from_str(&text).ok()),
        created_at: row.get("created_at")?,
    })
}
