//! What is written about a pull request whenever something happens to it.

use rusqlite::Transaction;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::Result;
use crate::store::events::{self, NewEvent};
use crate::store::issues::{self, IssueState};
use crate::store::merge_queue;
use crate::store::merges_under_way;
use crate::store::pulls::{self, Pull};
use crate::store::timeline::{self, NewTimelineEvent};

/// Who did something, and when.
#[derive(Debug, Clone)]
pub(crate) struct Doing {
    /// No one, for what was done behind the forge's back.
    pub(crate) actor_id: Option<i64>,
    pub(crate) at: String,
}

impl Doing {
    /// Now.
    pub(crate) fn new(app: &App, actor_id: Option<i64>) -> Self {
        Self {
            actor_id,
            at: app.now(),
        }
    }
}

/// The event `pull_request` with an action such as `opened`.
pub(crate) fn event(
    tx: &Transaction<'_>,
    pull: &Pull,
    doing: &Doing,
    action: &str,
    data: Option<Value>,
) -> Result<()> {
    events::record(
        tx,
        &NewEvent {
            repository_id: pull.issue.repository_id,
            actor_id: doing.actor_id,
            kind: "pull_request",
            action: Some(action),
            subject_id: Some(pull.id()),
            data,
            at: &doing.at,
        },
    )?;
    Ok(())
}

/// An entry on its page.
pub(crate) fn note(
    tx: &Transaction<'_>,
    pull: &Pull,
    doing: &Doing,
    event: &str,
    data: Option<Value>,
) -> Result<()> {
    timeline::record(
        tx,
        &NewTimelineEvent {
            issue_id: pull.id(),
            actor_id: doing.actor_id,
            event,
            data,
            at: &doing.at,
        },
    )?;
    Ok(())
}

/// Closes it without a merge. Whatever waited for its merge waits no longer.
pub(crate) fn close(tx: &Transaction<'_>, pull: &Pull, doing: &Doing) -> Result<()> {
    set_state(tx, pull, doing, IssueState::Closed)?;
    give_up_merging(tx, pull, doing, "CLOSED")?;
    note(tx, pull, doing, "closed", None)?;
    event(tx, pull, doing, "closed", None)
}

pub(crate) fn reopen(tx: &Transaction<'_>, pull: &Pull, doing: &Doing) -> Result<()> {
    set_state(tx, pull, doing, IssueState::Open)?;
    note(tx, pull, doing, "reopened", None)?;
    event(tx, pull, doing, "reopened", None)
}

/// Takes it out of the queue and forgets its auto-merge, saying why.
pub(crate) fn give_up_merging(
    tx: &Transaction<'_>,
    pull: &Pull,
    doing: &Doing,
    reason: &str,
) -> Result<()> {
    if pulls::clear_auto_merge(tx, pull.id())? {
        let data = Some(json!({ "reason": reason }));
        note(tx, pull, doing, "auto_merge_disabled", None)?;
        event(tx, pull, doing, "auto_merge_disabled", data)?;
    }
    leave_queue(tx, pull, doing, reason)
}

/// Takes it out of the queue, if it is there, saying why.
pub(crate) fn leave_queue(
    tx: &Transaction<'_>,
    pull: &Pull,
    doing: &Doing,
    reason: &str,
) -> Result<()> {
    let Some(entry) = merge_queue::for_pull(tx, pull.id())? else {
        return Ok(());
    };
    merge_queue::remove(tx, entry.id)?;
    let data = Some(json!({ "reason": reason }));
    let removed = "removed_from_merge_queue";
    note(tx, pull, doing, removed, data.clone())?;
    event(tx, pull, doing, "dequeued", data)
}

/// Records the merge: closed, merged, and said so.
pub(crate) fn merged(
    tx: &Transaction<'_>,
    pull: &Pull,
    doing: &Doing,
    commit_sha: &str,
) -> Result<()> {
    pulls::set_merged(tx, pull.id(), doing.actor_id, commit_sha, &doing.at)?;
    merges_under_way::end(tx, pull.id())?;
    pulls::clear_auto_merge(tx, pull.id())?;
    if let Some(entry) = merge_queue::for_pull(tx, pull.id())? {
        merge_queue::remove(tx, entry.id)?;
    }
    set_state(tx, pull, doing, IssueState::Closed)?;
    let data = Some(json!({ "commit_id": commit_sha }));
    note(tx, pull, doing, "merged", data.clone())?;
    note(tx, pull, doing, "closed", data)?;
    event(tx, pull, doing, "closed", None)
}

fn set_state(tx: &Transaction<'_>, pull: &Pull, doing: &Doing, state: IssueState) -> Result<()> {
    let mut issue = issues::by_id(tx, pull.id())?;
    let closed = state == IssueState::Closed;
    issue.state = state;
    issue.closed_at = closed.then(|| doing.at.clone());
    issue.closed_by_id = if closed { doing.actor_id } else { None };
    issue.updated_at.clone_from(&doing.at);
    issues::update(tx, &issue)?;
    Ok(())
}
