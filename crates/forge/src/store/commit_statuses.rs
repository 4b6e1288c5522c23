//! Commit statuses.

use super::check_state::StatusState;
use super::users::{self, User};
use crate::store::prelude::*;

row! {
    /// What someone said about a commit at one time, under one heading.
    CommitStatus by (conn, row) {
        id: i64,
        repository_id: i64,
        sha: String,
        context: String,
        state: StatusState,
        description: Option<String>,
        target_url: Option<String>,
        creator: Option<User> = users::in_column(conn, row, "creator_id")?,
        created_at: String,
    }
}

pub(crate) struct NewCommitStatus<'a> {
    pub(crate) repository_id: i64,
    pub(crate) sha: &'a str,
    pub(crate) context: &'a str,
    pub(crate) state: StatusState,
    pub(crate) description: Option<&'a str>,
    pub(crate) target_url: Option<&'a str>,
    pub(crate) creator_id: i64,
    pub(crate) at: &'a str,
}

inserts! {
    create(new: &NewCommitStatus<'_>) into commit_statuses {
        repository_id: new.repository_id, sha: new.sha, context: new.context, state: new.state,
        description: new.description, target_url: new.target_url, creator_id: new.creator_id,
        created_at: new.at,
    }
}

sql! {
    find by_id(id: i64) -> CommitStatus: "SELECT * FROM commit_statuses WHERE id = ?";

    /// What counts: the latest of every context, in the order of their first words.
    all latest_of_commit(repository_id: i64, sha: &str) -> CommitStatus:
        "SELECT commit_statuses.* FROM commit_statuses
         JOIN (SELECT max(id) AS latest, min(id) AS first FROM commit_statuses
         WHERE repository_id = ? AND sha = ? GROUP BY context) ON id = latest ORDER BY first";
    one count(repository_id: i64, sha: &str, context: &str) -> i64:
        "SELECT count(*) FROM commit_statuses WHERE repository_id = ? AND sha = ?
         AND context = ?";
}
