//! "Merge it as soon as it may be merged."

use super::merge::{MergeOrder, merge};
use super::mergeability::{MergeState, mergeability, tried};
use super::{queue, stacks};
use crate::actions::prelude::*;
use crate::actions::rules;
use crate::store::pulls::{self, AutoMerge, MergeMethod};
use crate::store::repositories;

pub(crate) async fn enable_auto_merge(
    cx: RepoContext<'_>,
    pull: &Pull,
    order: MergeOrder,
) -> Result<Pull> {
    let user = cx.allowed_to_change(Permission::Write)?.clone();
    if stacks::is_stacked(cx.app, pull)? {
        return Err(refused(
            "Auto-merge is not supported for stacked pull requests",
        ));
    }
    if order
        .expected_head
        .as_ref()
        .is_some_and(|expected| *expected != pull.head_sha)
    {
        return Err(refused("Head branch was modified. Review and try again."));
    }
    check(cx.app, cx.repository, pull, order.method).await?;
    let enabled = pull.clone();
    cx.change(move |change| {
        let auto_merge = AutoMerge {
            enabled_by: user,
            enabled_at: change.at.to_owned(),
            method: order.method,
            commit_title: order.title,
            commit_message: order.message,
        };
        pulls::set_auto_merge(change.tx, enabled.id(), &auto_merge)?;
        let event = match order.method {
            MergeMethod::Merge => "auto_merge_enabled",
            MergeMethod::Squash => "auto_squash_enabled",
            MergeMethod::Rebase => "auto_rebase_enabled",
        };
        change.timeline(enabled.id(), event, None)?;
        change.issue_event(&enabled.issue, "auto_merge_enabled", None)
    })
    .await?;
    super::reread(cx.app, pull.id())
}

pub(crate) async fn disable_auto_merge(cx: RepoContext<'_>, pull: &Pull) -> Result<Pull> {
    cx.allowed(Permission::Write)?;
    let disabled = pull.clone();
    cx.change(move |change| {
        if !pulls::clear_auto_merge(change.tx, disabled.id())? {
            return Err(refused("Can't disable auto-merge for this pull request"));
        }
        change.timeline(disabled.id(), "auto_merge_disabled", None)?;
        change.issue_event(&disabled.issue, "auto_merge_disabled", None)
    })
    .await?;
    super::reread(cx.app, pull.id())
}

/// Merges it, or puts it into the queue, if nothing stands against it.
pub(super) async fn attempt(app: &App, pull: &Pull) -> Result<()> {
    let Some(auto_merge) = &pull.auto_merge else {
        return Ok(());
    };
    let (repository, queued) = app.read(|conn| {
        let repository = repositories::by_id(conn, pull.issue.repository_id)?;
        let queue = rules::merge_queue_of(conn, &repository, &pull.base_ref)?;
        Ok((repository, queue.is_some()))
    })?;
    tried(app, &repository, pull).await?;
    let state = mergeability(app, &repository, pull).await?.state;
    if !matches!(state, MergeState::Clean | MergeState::Unstable) {
        return Ok(());
    }
    let caller = Caller::acting_for(auto_merge.enabled_by.clone());
    let cx = RepoContext {
        app,
        caller: &caller,
        repository: &repository,
    };
    if queued {
        return queue::enqueue(cx, pull, false).await.map(drop);
    }
    let order = MergeOrder {
        method: auto_merge.method,
        expected_head: Some(pull.head_sha.clone()),
        title: auto_merge.commit_title.clone(),
        message: auto_merge.commit_message.clone(),
    };
    merge(cx, pull, &order).await.map(drop)
}

/// It has to be worth waiting for.
async fn check(app: &App, repository: &Repository, pull: &Pull, method: MergeMethod) -> Result<()> {
    if !repository.allow_auto_merge {
        return Err(refused("Auto merge is not allowed for this repository"));
    }
    if !pull.is_open() {
        return Err(refused("Pull request is closed"));
    }
    let allowed = match method {
        MergeMethod::Merge => repository.allow_merge_commit,
        MergeMethod::Squash => repository.allow_squash_merge,
        MergeMethod::Rebase => repository.allow_rebase_merge,
    };
    if !allowed {
        return Err(refused(rules::merges::not_allowed(method)));
    }
    tried(app, repository, pull).await?;
    match mergeability(app, repository, pull).await?.state {
        MergeState::Blocked | MergeState::Behind | MergeState::Unknown => Ok(()),
        state => Err(refused(&format!(
            "Pull request is in {} status",
            state.as_str()
        ))),
    }
}

fn refused(message: &str) -> ApiError {
    ApiError::refused(StatusCode::UNPROCESSABLE_ENTITY, message)
}
