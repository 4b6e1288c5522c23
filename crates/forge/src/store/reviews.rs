//! Reviews and review requests.

use crate::store::prelude::*;
use crate::store::{review_threads, users};

row! {
    Review by (conn, row) {
        id: i64,
        pull_id: i64,
        user: User = users::by_id(conn, row.get("user_id")?)?,
        body: String,
        state: ReviewState,
        commit_sha: String,
        created_at: String,
        updated_at: String,
        /// Not yet, for a pending one.
        submitted_at: Option<String>,
    }
}

text_enum! {
    ReviewState {
        /// Not submitted yet: only its author sees it.
        Pending = "PENDING",
        Commented = "COMMENTED",
        Approved = "APPROVED",
        ChangesRequested = "CHANGES_REQUESTED",
        Dismissed = "DISMISSED",
    }
}

impl ReviewState {
    /// Whether it says yes or no.
    pub(crate) fn is_opinion(self) -> bool {
        matches!(self, Self::Approved | Self::ChangesRequested)
    }
}

impl Review {
    pub(crate) fn is_visible_to(&self, viewer: Option<i64>) -> bool {
        self.state != ReviewState::Pending || viewer == Some(self.user.id)
    }
}

pub(crate) struct NewReview<'a> {
    pub(crate) pull_id: i64,
    pub(crate) user_id: i64,
    pub(crate) body: &'a str,
    pub(crate) state: ReviewState,
    pub(crate) commit_sha: &'a str,
    pub(crate) at: &'a str,
}

pub(crate) fn create(tx: &Transaction<'_>, new: &NewReview<'_>) -> rusqlite::Result<i64> {
    let submitted_at = (new.state != ReviewState::Pending).then_some(new.at);
    insert!(tx => reviews {
        pull_id: new.pull_id, user_id: new.user_id, body: new.body, state: new.state,
        commit_sha: new.commit_sha, created_at: new.at, updated_at: new.at, submitted_at,
    })
}

sql! {
    find by_id(id: i64) -> Review: "SELECT * FROM reviews WHERE id = ?";

    /// In the order of their submission; last the pending one of `viewer`.
    all for_pull(pull_id: i64, viewer: Option<i64>) -> Review:
        "SELECT * FROM reviews WHERE pull_id = ? AND (state <> 'PENDING' OR user_id = ?)
         ORDER BY submitted_at IS NULL, submitted_at, id";
}

/// The newest yes or no of everybody who gave one. A dismissal takes the
/// opinion back; a comment does not change it.
pub(crate) fn latest_opinions(conn: &Connection, pull_id: i64) -> Rows<Review> {
    let mut latest: Vec<Review> = Vec::new();
    for review in for_pull(conn, pull_id, None)? {
        if review.state.is_opinion() || review.state == ReviewState::Dismissed {
            latest.retain(|other| other.user.id != review.user.id);
            latest.push(review);
        }
    }
    latest.retain(|review| review.state.is_opinion());
    Ok(latest)
}

sql! {
    run submit(id: i64, state: ReviewState, body: &str, at: &str):
        "UPDATE reviews SET state = ?2, body = ?3, updated_at = ?4, submitted_at = ?4
         WHERE id = ?1";
}

/// With its comments, and the threads that have no others.
pub(crate) fn delete(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    tx.run("DELETE FROM reviews WHERE id = ?", [id])?;
    review_threads::delete_empty(tx)
}

sql! {
    /// Why is noted in the timeline.
    run dismiss(id: i64, at: &str):
        "UPDATE reviews SET state = 'DISMISSED', updated_at = ?2 WHERE id = ?1";
}

row! {
    /// Someone who was asked.
    ReviewRequest by (conn, row) {
        user: User = users::by_id(conn, row.get("user_id")?)?,
        as_code_owner: bool,
    }
}

sql! {
    all requests(pull_id: i64) -> ReviewRequest:
        "SELECT * FROM review_requests WHERE pull_id = ? ORDER BY created_at, rowid";
}

sql! {
    /// False when they were asked before.
    did request(pull_id: i64, user_id: i64, as_code_owner: bool, at: &str):
        "INSERT OR IGNORE INTO review_requests (pull_id, user_id, as_code_owner, created_at)
         VALUES (?, ?, ?, ?)";

    /// False when they were not asked.
    did withdraw_request(pull_id: i64, user_id: i64):
        "DELETE FROM review_requests WHERE pull_id = ? AND user_id = ?";
}
