//! The timelines of issues and pull requests.

use crate::store::prelude::*;
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

pub(crate) fn record(tx: &Transaction<'_>, new: &NewTimelineEvent<'_>) -> rusqlite::Result<i64> {
    insert!(tx => timeline {
        issue_id: new.issue_id, actor_id: new.actor_id, event: new.event,
        data: new.data.as_ref().map(Value::to_string), created_at: new.at,
    })
}

sql! {
    /// Oldest first.
    all for_issue(issue_id: i64) -> TimelineEvent:
        "SELECT * FROM timeline WHERE issue_id = ? ORDER BY id";
    find by_id(id: i64) -> TimelineEvent: "SELECT * FROM timeline WHERE id = ?";
}

from_row! {
    (_conn, row) => TimelineEvent {
        id, issue_id, actor_id, event, created_at;
        data: json_column(row, "data")?,
    }
}
