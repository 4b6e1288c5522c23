//! The merge queue of a branch: pull requests are merged one after the other,
//! each after its checks passed on top of those before it.

mod advance;

use axum::http::StatusCode;

use super::counts;
use super::merge::complaint;
use super::record;
use crate::actions::change::RepoContext;
use crate::actions::rules::{self, merges};
use crate::error::{ApiError, Result};
use crate::store::merge_queue::{self, NewEntry, QueueEntry};
use crate::store::pulls::{self, Pull};
use crate::store::repositories::Permission;

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
    let user = cx.allowed_to_change(Permission::Write)?.clone();
    let repository = cx.repository;
    let counts = counts(cx.app, repository, pull).await?;
    cx.app.read(|conn| {
        if rules::merge_queue_of(conn, repository, &pull.base_ref)?.is_none() {
            return Err(refused("The base branch does not have a merge queue"));
        }
        if merge_queue::for_pull(conn, pull.id())?.is_some() {
            return Err(refused("Pull request is already in the queue"));
        }
        if !pull.is_open() || pull.draft {
            return Err(refused("Pull request is not mergeable"));
        }
        let verdict = merges::judge(conn, repository, pull, &counts)?;
        let violations = merges::binding(conn, repository, &verdict, &user)?;
        if violations.is_empty() || verdict.only_behind() {
            Ok(())
        } else {
            Err(refused(&complaint(&violations)))
        }
    })?;
    let queued = pull.clone();
    cx.change(move |change| {
        let new = NewEntry {
            pull_id: queued.id(),
            repository_id: change.repository_id,
            base_ref: &queued.base_ref,
            enqueued_by: user.id,
            jump,
            pull_sha: &queued.head_sha,
            at: change.at,
        };
        merge_queue::add(change.tx, &new)?;
        pulls::clear_auto_merge(change.tx, queued.id())?;
        change.timeline(queued.id(), "added_to_merge_queue", None)?;
        change.issue_event(&queued.issue, "enqueued", None)?;
        merge_queue::for_pull(change.tx, queued.id())?
            .ok_or_else(|| ApiError::internal("an entry of the merge queue vanished"))
    })
    .await
}

fn refused(message: &str) -> ApiError {
    ApiError::refused(StatusCode::UNPROCESSABLE_ENTITY, message)
}
