//! The merge queue of a branch: pull requests are merged one after the other,
//! each after its checks passed on top of those before it.

mod advance;

use axum::http::StatusCode;

use super::counts;
use super::merge::complaint;
use super::record::{self, Doing};
use crate::actions::rules::{self, merges};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::merge_queue::{self, NewEntry, QueueEntry};
use crate::store::pulls::{self, Pull};
use crate::store::repositories::{Permission, Repository};

pub(super) use advance::advance;

pub(crate) async fn enqueue(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    jump: bool,
) -> Result<QueueEntry> {
    let user = caller.user()?.clone();
    super::check_writable(repository)?;
    app.read(|conn| caller.check(conn, repository, Permission::Write))?;
    let counts = counts(app, repository, pull).await?;
    app.read(|conn| {
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
    let doing = Doing::new(app, Some(user.id));
    let queued = pull.clone();
    let id = repository.id;
    app.write(move |tx| {
        merge_queue::add(
            tx,
            &NewEntry {
                pull_id: queued.id(),
                repository_id: id,
                base_ref: &queued.base_ref,
                enqueued_by: user.id,
                jump,
                pull_sha: &queued.head_sha,
                at: &doing.at,
            },
        )?;
        pulls::clear_auto_merge(tx, queued.id())?;
        record::note(tx, &queued, &doing, "added_to_merge_queue", None)?;
        record::event(tx, &queued, &doing, "enqueued", None)?;
        merge_queue::for_pull(tx, queued.id())?
            .ok_or_else(|| ApiError::internal("an entry of the merge queue vanished"))
    })
    .await
}

fn refused(message: &str) -> ApiError {
    ApiError::refused(StatusCode::UNPROCESSABLE_ENTITY, message)
}
