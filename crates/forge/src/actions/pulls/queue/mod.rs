//! The merge queue of a branch: pull requests are merged one after the other,
//! each after its checks passed on top of those before it.

mod advance;

use super::merge::complaint;
use super::stacks::{self, Group};
use super::{counts, record};
use crate::actions::prelude::*;
use crate::actions::rules::{self, merges};
use crate::store::merge_queue::{self, NewEntry, QueueEntry};
use crate::store::pulls;

pub(super) use advance::advance;

/// Takes it out before it is merged.
pub(crate) async fn dequeue(cx: RepoContext<'_>, pull: &Pull) -> Result<()> {
    cx.allowed_to_change(Permission::Write)?;
    let queued = pull.clone();
    cx.change(move |change| {
        if merge_queue::for_pull(change.tx, queued.id())?.is_none() {
            return Err(refused("Pull request is not in the queue"));
        }
        record::leave_queue(change, &queued, "MANUAL")
    })
    .await
}

pub(crate) async fn enqueue(cx: RepoContext<'_>, pull: &Pull, jump: bool) -> Result<QueueEntry> {
    cx.allowed_to_change(Permission::Write)?;
    if stacks::is_stacked(cx.app, pull)? {
        return Err(refused(stacks::ONLY_IN_BACKGROUND));
    }
    enqueue_group(cx, pull, jump).await
}

/// With what is below it in its stack, unless that waits already.
pub(super) async fn enqueue_group(
    cx: RepoContext<'_>,
    pull: &Pull,
    jump: bool,
) -> Result<QueueEntry> {
    let user = cx.allowed_to_change(Permission::Write)?.clone();
    let group = Group::find(cx.app, cx.repository, pull.id())?;
    let (id, app) = (pull.id(), cx.app);
    if app.rows(|conn| merge_queue::for_pull(conn, id))?.is_some() {
        return Err(refused("Pull request is already in the queue"));
    }
    if !group.is_linear(app, cx.repository).await? {
        return Err(refused("Pull request is not mergeable"));
    }
    for pull in &group.members {
        check(cx, &group, &group.aimed(pull), &user).await?;
    }
    cx.change(move |change| {
        for pull in &group.members {
            if merge_queue::for_pull(change.tx, pull.id())?.is_none() {
                add(change, &group.base_ref, pull, user.id, jump)?;
            }
        }
        merge_queue::for_pull(change.tx, id)?
            .ok_or_else(|| ApiError::internal("an entry of the merge queue vanished"))
    })
    .await
}

async fn check(cx: RepoContext<'_>, group: &Group, pull: &Pull, user: &User) -> Result<()> {
    let repository = cx.repository;
    let counts = counts(cx.app, repository, pull).await?;
    cx.app.read(|conn| {
        if rules::merge_queue_of(conn, repository, &pull.base_ref)?.is_none() {
            return Err(refused("The base branch does not have a merge queue"));
        }
        if !pull.is_open() || pull.draft {
            return Err(refused("Pull request is not mergeable"));
        }
        let verdict = merges::judge(conn, repository, pull, &counts)?;
        let violations = merges::binding(conn, repository, &verdict, group.bypasser(user))?;
        if violations.is_empty() || verdict.only_behind() {
            Ok(())
        } else {
            Err(refused(&complaint(&violations)))
        }
    })
}

fn add(change: Change<'_>, base_ref: &str, pull: &Pull, user_id: i64, jump: bool) -> Result<()> {
    let new = NewEntry {
        pull_id: pull.id(),
        repository_id: change.repository_id,
        base_ref,
        enqueued_by: user_id,
        jump,
        pull_sha: &pull.head_sha,
        at: change.at,
    };
    merge_queue::add(change.tx, &new)?;
    pulls::clear_auto_merge(change.tx, pull.id())?;
    change.timeline(pull.id(), "added_to_merge_queue", None)?;
    change.issue_event(&pull.issue, "enqueued", None)
}

fn refused(message: &str) -> ApiError {
    ApiError::refused(StatusCode::UNPROCESSABLE_ENTITY, message)
}
