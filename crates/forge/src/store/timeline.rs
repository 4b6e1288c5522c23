//! The timelines of issues and pull requests.

use crate::store::prelude::*;
use serde_json::Value;

row! {
    /// Something that happened to an issue or pull request, in GitHub's word.
    TimelineEvent by (_conn, row) {
        id: i64,
        issue_id: i64,
        actor_id: Option<i64>,
        event: String,
        data: Option<Value> = json_column(row, "data")?,
        created_at: String,
    }
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

inserts! {
    record(new: &NewTimelineEvent<'_>) into timeline {
        issue_id: new.issue_id, actor_id: new.actor_id, event: new.event,
        data: new.data.as_ref().map(Value::to_string), created_at: new.at,
    }
}

sql! {
    /// Oldest first.
    all for_issue(issue_id: i64) -> TimelineEvent:
        "SELECT * FROM timeline WHERE issue_id = ? ORDER BY id";
    find by_id(id: i64) -> TimelineEvent: "SELECT * FROM timeline WHERE id = ?";
}
