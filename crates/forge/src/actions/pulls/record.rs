//! What is written about a pull request whenever something happens to it.

use crate::actions::prelude::*;
use crate::store::issues::{self, IssueState};
use crate::store::{merge_queue, merges_under_way, pulls, stacks};

/// Closes it without a merge. Whatever waited for its merge waits no longer.
pub(crate) fn close(change: Change<'_>, pull: &Pull) -> Result<()> {
    set_state(change, pull, IssueState::Closed)?;
    give_up_merging(change, pull, "CLOSED")?;
    change.timeline(pull.id(), "closed", None)?;
    change.issue_event(&pull.issue, "closed", None)
}

pub(crate) fn reopen(change: Change<'_>, pull: &Pull) -> Result<()> {
    set_state(change, pull, IssueState::Open)?;
    change.timeline(pull.id(), "reopened", None)?;
    change.issue_event(&pull.issue, "reopened", None)
}

/// Takes it out of the queue and forgets its auto-merge, saying why.
pub(crate) fn give_up_merging(change: Change<'_>, pull: &Pull, reason: &str) -> Result<()> {
    if pulls::clear_auto_merge(change.tx, pull.id())? {
        let data = Some(json!({ "reason": reason }));
        change.timeline(pull.id(), "auto_merge_disabled", None)?;
        change.issue_event(&pull.issue, "auto_merge_disabled", data)?;
    }
    leave_queue(change, pull, reason)
}

/// Takes it out of the queue, if it is there, saying why.
pub(crate) fn leave_queue(change: Change<'_>, pull: &Pull, reason: &str) -> Result<()> {
    let Some(entry) = merge_queue::for_pull(change.tx, pull.id())? else {
        return Ok(());
    };
    merge_queue::remove(change.tx, entry.id)?;
    let data = Some(json!({ "reason": reason }));
    change.timeline(pull.id(), "removed_from_merge_queue", data.clone())?;
    change.issue_event(&pull.issue, "dequeued", data)?;
    // What builds on it cannot be merged before it.
    match stacks::above(change.tx, pull.id())? {
        Some(above) => leave_queue(change, &above, reason),
        None => Ok(()),
    }
}

/// A push took commits away from one of its branches, which stay in the repository.
pub(crate) fn force_pushed(
    change: Change<'_>,
    id: i64,
    event: &str,
    before: &str,
    after: &str,
) -> Result<()> {
    let data = json!({ "commit_id": after, "before": before });
    change.timeline(id, event, Some(data))
}

/// Records the merge: closed, merged, and said so.
pub(crate) fn merged(change: Change<'_>, pull: &Pull, commit_sha: &str) -> Result<()> {
    let (tx, id) = (change.tx, pull.id());
    pulls::set_merged(tx, id, change.actor_id, commit_sha, change.at)?;
    merges_under_way::end(tx, id)?;
    pulls::clear_auto_merge(tx, id)?;
    if let Some(entry) = merge_queue::for_pull(tx, id)? {
        merge_queue::remove(tx, entry.id)?;
    }
    set_state(change, pull, IssueState::Closed)?;
    let data = Some(json!({ "commit_id": commit_sha }));
    change.timeline(id, "merged", data.clone())?;
    change.timeline(id, "closed", data)?;
    change.issue_event(&pull.issue, "closed", None)
}

fn set_state(change: Change<'_>, pull: &Pull, state: IssueState) -> Result<()> {
    let mut issue = issues::by_id(change.tx, pull.id())?;
    let closed = state == IssueState::Closed;
    issue.state = state;
    issue.closed_at = closed.then(|| change.at.to_owned());
    issue.closed_by_id = change.actor_id.filter(|_| closed);
    change.at.clone_into(&mut issue.updated_at);
    issues::update(change.tx, &issue)?;
    Ok(())
}
