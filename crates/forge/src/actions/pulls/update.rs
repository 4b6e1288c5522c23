//! Changing a pull request: text, base branch, state, draft.

use axum::http::StatusCode;
use baton_host::git::Oid;
use rusqlite::Transaction;
use serde_json::json;

use super::mergeability::start_trial;
use super::record::{self, Doing};
use super::{requests, sync};
use crate::actions::issues::check_text;
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::issues;
use crate::store::pulls::{self, Pull};
use crate::store::repositories::{self, Permission, Repository};

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

pub(crate) async fn update(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    change: PullChange,
) -> Result<Pull> {
    let doing = begin(app, caller, repository, pull)?;
    let body = change.body.as_ref().and_then(|body| body.as_deref());
    check_text("PullRequest", change.title.as_deref(), body)?;
    let base = match &change.base {
        Some(name) if *name != pull.base_ref => {
            Some((name.clone(), new_base(app, repository, pull, name).await?))
        }
        _ => None,
    };
    if change.open == Some(true) && !pull.is_open() {
        check_reopen(app, repository, pull).await?;
    }
    let id = pull.id();
    let guard = app.lock_pulls(repository.id).await;
    app.write(move |tx| {
        let pull = pulls::by_id(tx, id)?.ok_or(ApiError::NotFound)?;
        set_text(tx, &pull, &change, &doing)?;
        if let Some((name, commit)) = base {
            set_base(tx, &pull, &name, commit.as_str(), &doing)?;
        }
        if let Some(can_modify) = change.maintainer_can_modify {
            pulls::set_maintainer_can_modify(tx, id, can_modify)?;
        }
        match change.open {
            Some(false) if pull.is_open() => record::close(tx, &pull, &doing),
            Some(true) if !pull.is_open() => record::reopen(tx, &pull, &doing),
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

pub(crate) async fn set_draft(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    draft: bool,
) -> Result<Pull> {
    let doing = begin(app, caller, repository, pull)?;
    if !pull.is_open() {
        return Err(ApiError::refused(
            StatusCode::UNPROCESSABLE_ENTITY,
            "Pull request is closed",
        ));
    }
    let (id, repository) = (pull.id(), repository.clone());
    app.write(move |tx| {
        let pull = pulls::by_id(tx, id)?.ok_or(ApiError::NotFound)?;
        if pull.draft == draft {
            return Ok(());
        }
        pulls::set_draft(tx, id, draft)?;
        issues::touch(tx, id, &doing.at)?;
        if draft {
            record::give_up_merging(tx, &pull, &doing, "CONVERTED_TO_DRAFT")?;
            record::note(tx, &pull, &doing, "convert_to_draft", None)?;
            record::event(tx, &pull, &doing, "converted_to_draft", None)
        } else {
            record::note(tx, &pull, &doing, "ready_for_review", None)?;
            record::event(tx, &pull, &doing, "ready_for_review", None)?;
            requests::request_code_owners(tx, &repository, &pull, &doing)
        }
    })
    .await?;
    super::reread(app, id)
}

/// Authors change their own; for those of others one has to be able to write.
fn begin(app: &App, caller: &Caller, repository: &Repository, pull: &Pull) -> Result<Doing> {
    let user = caller.user()?;
    super::check_writable(repository)?;
    let needed = if user.id == pull.issue.author_id {
        Permission::Read
    } else {
        Permission::Triage
    };
    app.read(|conn| caller.check(conn, repository, needed))?;
    Ok(Doing::new(app, Some(user.id)))
}

async fn new_base(app: &App, repository: &Repository, pull: &Pull, name: &str) -> Result<Oid> {
    let message = |text: String| ApiError::invalid("PullRequest", "base", "invalid", Some(text));
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

fn set_text(tx: &Transaction<'_>, pull: &Pull, change: &PullChange, doing: &Doing) -> Result<()> {
    let mut issue = pull.issue.clone();
    let mut changes = serde_json::Map::new();
    if let Some(title) = change.title.as_ref().filter(|title| **title != issue.title) {
        let rename = json!({ "from": issue.title, "to": title });
        let data = Some(json!({ "rename": rename }));
        record::note(tx, pull, doing, "renamed", data)?;
        changes.insert("title".to_owned(), json!({ "from": issue.title }));
        issue.title.clone_from(title);
    }
    if let Some(body) = change.body.as_ref().filter(|body| **body != issue.body) {
        changes.insert("body".to_owned(), json!({ "from": issue.body }));
        issue.body.clone_from(body);
    }
    if changes.is_empty() {
        return Ok(());
    }
    issue.updated_at.clone_from(&doing.at);
    issues::update(tx, &issue)?;
    let data = Some(json!({ "changes": changes }));
    record::event(tx, pull, doing, "edited", data)
}

pub(super) fn set_base(
    tx: &Transaction<'_>,
    pull: &Pull,
    name: &str,
    commit: &str,
    doing: &Doing,
) -> Result<()> {
    pulls::set_base(tx, pull.id(), name, commit)?;
    issues::touch(tx, pull.id(), &doing.at)?;
    record::give_up_merging(tx, pull, doing, "BASE_BRANCH_CHANGED")?;
    let data = Some(json!({ "changes": { "base": {
        "ref": { "from": pull.base_ref },
        "sha": { "from": pull.base_sha },
    } } }));
    record::note(tx, pull, doing, "base_ref_changed", None)?;
    record::event(tx, pull, doing, "edited", data)
}
