//! Changing a pull request: text, base branch, state, draft.

use super::mergeability::start_trial;
use super::{record, requests, stacks, sync};
use crate::actions::issues::{self as issue_actions, check_text};
use crate::actions::prelude::*;
use crate::store::{issues, merge_queue, pulls, repositories};

/// What is given changes; the rest stays.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::option_option,
    reason = "the text may stay, change or be taken away"
)]
pub(crate) struct PullChange {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<Option<String>>,
    pub(crate) open: Option<bool>,
    pub(crate) base: Option<String>,
    pub(crate) maintainer_can_modify: Option<bool>,
}

pub(crate) async fn update(cx: RepoContext<'_>, pull: &Pull, new: PullChange) -> Result<Pull> {
    begin(cx, pull)?;
    let (app, repository) = (cx.app, cx.repository);
    let body = new.body.as_ref().and_then(|body| body.as_deref());
    check_text("PullRequest", new.title.as_deref(), body)?;
    let base = match &new.base {
        Some(name) if *name != pull.base_ref => {
            Some((name.clone(), new_base(app, repository, pull, name).await?))
        }
        _ => None,
    };
    if new.open == Some(true) && !pull.is_open() {
        check_reopen(app, repository, pull).await?;
    }
    let id = pull.id();
    let guard = app.lock_pulls(repository.id).await;
    cx.change(move |change| {
        let mut pull = pulls::by_id(change.tx, id)?.ok_or(ApiError::NotFound)?;
        let text = issue_actions::Edit {
            title: new.title,
            body: new.body,
            ..issue_actions::Edit::default()
        };
        issue_actions::edit_text(change, &mut pull.issue, &text)?;
        if let Some((name, commit)) = base {
            set_base(change, &pull, &name, commit.as_str())?;
        }
        if let Some(can_modify) = new.maintainer_can_modify {
            pulls::set_maintainer_can_modify(change.tx, id, can_modify)?;
        }
        match new.open {
            Some(false) if pull.is_open() => record::close(change, &pull),
            Some(true) if !pull.is_open() => record::reopen(change, &pull),
            _ => Ok(()),
        }
    })
    .await?;
    drop(guard);
    // A reopened one catches up with its branches, and its files may have other
    // owners and its threads other places under a new base.
    sync::sync_pull(app, id, None).await?;
    let pull = super::reread(app, id)?;
    if pull.is_open() {
        start_trial(app, repository, &pull);
    }
    Ok(pull)
}

pub(crate) async fn set_draft(cx: RepoContext<'_>, pull: &Pull, draft: bool) -> Result<Pull> {
    begin(cx, pull)?;
    if !pull.is_open() {
        return Err(ApiError::refused(
            StatusCode::UNPROCESSABLE_ENTITY,
            "Pull request is closed",
        ));
    }
    let (id, repository) = (pull.id(), cx.repository.clone());
    cx.change(move |change| {
        let pull = pulls::by_id(change.tx, id)?.ok_or(ApiError::NotFound)?;
        if pull.draft == draft {
            return Ok(());
        }
        pulls::set_draft(change.tx, id, draft)?;
        issues::touch(change.tx, id, change.at)?;
        if draft {
            record::give_up_merging(change, &pull, "CONVERTED_TO_DRAFT")?;
            change.timeline(id, "convert_to_draft", None)?;
            change.issue_event(&pull.issue, "converted_to_draft", None)
        } else {
            change.timeline(id, "ready_for_review", None)?;
            change.issue_event(&pull.issue, "ready_for_review", None)?;
            requests::request_code_owners(change, &repository, &pull)
        }
    })
    .await?;
    super::reread(cx.app, id)
}

/// Authors change their own; for those of others one has to be able to write.
fn begin(cx: RepoContext<'_>, pull: &Pull) -> Result<()> {
    let own = cx.caller.user()?.id == pull.issue.author_id;
    let needed = if own {
        Permission::Read
    } else {
        Permission::Triage
    };
    cx.allowed_to_change(needed).map(drop)
}

async fn new_base(app: &App, repository: &Repository, pull: &Pull, name: &str) -> Result<Oid> {
    let message = |text: String| ApiError::invalid("PullRequest", "base", "invalid", Some(text));
    if stacks::is_stacked(app, pull)? {
        return Err(message(
            "Cannot change the base branch because the pull request is part of a stack.".to_owned(),
        ));
    }
    if !pull.is_open() {
        return Err(message(
            "Cannot change the base branch of a closed pull request.".to_owned(),
        ));
    }
    let git = app.git(repository);
    let commit = super::branch(app, repository, name).await?;
    let commit =
        commit.ok_or_else(|| message(format!("Proposed base branch '{name}' was not found")))?;
    let head = super::oid(&pull.head_sha)?;
    if git.distance(&commit, &head).await?.ahead == 0 {
        return Err(message(format!(
            "There are no new commits between base branch '{name}' and head branch '{}'",
            pull.head_ref
        )));
    }
    let taken = app.read(|conn| {
        let Some(head_repository) = pull.head_repository_id else {
            return Ok(None);
        };
        let head_ref = &pull.head_ref;
        Ok(pulls::open_between(
            conn,
            repository.id,
            name,
            head_repository,
            head_ref,
        )?)
    })?;
    if taken.is_some() {
        return Err(message(format!(
            "A pull request already exists for base branch '{name}' and head branch '{}'",
            pull.head_ref
        )));
    }
    Ok(commit)
}

/// Only what could be opened again can be opened again.
async fn check_reopen(app: &App, repository: &Repository, pull: &Pull) -> Result<()> {
    let invalid = |text: String| ApiError::invalid("PullRequest", "state", "invalid", Some(text));
    if pull.merged.is_some() {
        return Err(invalid("Cannot reopen a merged pull request.".to_owned()));
    }
    let head_repository = app.read(|conn| match pull.head_repository_id {
        Some(id) => Ok(Some(repositories::by_id(conn, id)?)),
        None => Ok(None),
    })?;
    let Some(head_repository) = head_repository else {
        return Err(invalid(format!(
            "state cannot be changed. The repository that submitted this pull request has been deleted. {}",
            pull.head_label()
        )));
    };
    let head = super::branch(app, &head_repository, &pull.head_ref).await?;
    if head.is_none() {
        return Err(invalid(format!(
            "state cannot be changed. The {} branch has been deleted.",
            pull.head_ref
        )));
    }
    let open = app.read(|conn| {
        let (base, head) = (&pull.base_ref, &pull.head_ref);
        Ok(pulls::open_between(
            conn,
            repository.id,
            base,
            head_repository.id,
            head,
        )?)
    })?;
    if open.is_some() {
        return Err(invalid(format!(
            "state cannot be changed. There is already an open pull request from {} to {}:{}.",
            pull.head_label(),
            repository.owner.login,
            pull.base_ref
        )));
    }
    Ok(())
}

pub(super) fn set_base(change: Change<'_>, pull: &Pull, name: &str, commit: &str) -> Result<()> {
    pulls::set_base(change.tx, pull.id(), name, commit)?;
    issues::touch(change.tx, pull.id(), change.at)?;
    // What is in the queue of its new base goes there anyway.
    let entry = merge_queue::for_pull(change.tx, pull.id())?;
    if entry.is_none_or(|entry| entry.base_ref != name) {
        record::give_up_merging(change, pull, "BASE_BRANCH_CHANGED")?;
    }
    let data = Some(json!({ "changes": { "base": {
        "ref": { "from": pull.base_ref },
        "sha": { "from": pull.base_sha },
    } } }));
    change.timeline(pull.id(), "base_ref_changed", None)?;
    change.issue_event(&pull.issue, "edited", data)
}
