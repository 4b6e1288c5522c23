//! Changes of branches and tags, no matter who made them.
//!
//! git has the truth about refs; the table `refs` has what the forge last saw.
//! [`notice`] records the difference as events. It runs at the end of every
//! push and of every change the forge makes itself, when the forge starts (a
//! crash may have come between a push and its aftermath), and now and then for
//! folders that others write to.

use baton_host::git::GitError;

use crate::actions::prelude::*;
use crate::actions::pulls;
use crate::actions::rules::{self, pushes::PushFacts};
use crate::git::RefChange;
use crate::runner;
use crate::store::refs::{self, Refs};
use crate::store::repositories;

/// GitHub's way to write "no commit" in an event.
pub(crate) const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

/// A branch or tag that is no longer what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefUpdate {
    /// In full: `refs/heads/main`.
    pub(crate) name: String,
    pub(crate) before: Option<Oid>,
    pub(crate) after: Option<Oid>,
    /// Whether commits were taken away.
    pub(crate) forced: bool,
}

impl RefUpdate {
    /// The branch's name, where it is one.
    pub(crate) fn branch(&self) -> Option<&str> {
        self.name.strip_prefix("refs/heads/")
    }
}

/// A change of a ref that must not be: git tells the pusher why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// In full.
    pub(crate) name: String,
    /// Lines for a person, such as
    /// `GH006: Protected branch update failed for refs/heads/main.`
    pub(crate) message: String,
}

/// Whether pushes to this repository have to pass [`check`].
pub(crate) fn is_guarded(app: &App, repository: &Repository) -> Result<bool> {
    app.read(|conn| rules::any(conn, repository))
}

/// Which of the changes must not be. `git` sees the pushed commits, which are
/// not yet part of the repository.
pub(crate) async fn check(
    app: &App,
    repository: &Repository,
    caller: &Caller,
    git: &GitRepository,
    changes: &[RefChange],
) -> Result<Vec<Refusal>> {
    let user = caller.user.as_ref();
    let mut refusals = Vec::new();
    for change in changes {
        let facts = PushFacts::gather(git, change).await?;
        let verdict = app.read(|conn| rules::pushes::judge(conn, repository, user, &facts))?;
        if !verdict.violations.is_empty() {
            refusals.push(Refusal {
                name: change.name.clone(),
                message: verdict.refusal(app.urls(), repository, &change.name),
            });
        }
    }
    Ok(refusals)
}

/// Changes refs as a caller asked for it, where the rules allow it. All or
/// nothing.
pub(crate) async fn update_refs_as(cx: RepoContext<'_>, changes: &[RefChange]) -> Result<()> {
    let user = cx.caller.user()?;
    if is_guarded(cx.app, cx.repository)? {
        let refusals = check(cx.app, cx.repository, cx.caller, &cx.git(), changes).await?;
        if let Some(refusal) = refusals.first() {
            let lines = refusal.message.lines();
            let lines: Vec<_> = lines
                .map(|line| line.trim_start_matches("error: "))
                .collect();
            return Err(ApiError::Unprocessable(lines.join("\n")));
        }
    }
    match update_refs(cx.app, cx.repository, Some(user.id), changes).await {
        // Someone was faster, or a name is in the way of another.
        Err(ApiError::Git(GitError::Failed { .. })) => Err(ApiError::Unprocessable(
            "Reference cannot be updated".to_owned(),
        )),
        done => done,
    }
}

/// Changes refs on behalf of a user and records it. All or nothing; rules are
/// the caller's business.
pub(crate) async fn update_refs(
    app: &App,
    repository: &Repository,
    actor_id: Option<i64>,
    changes: &[RefChange],
) -> Result<()> {
    let updates = move_refs(app, repository, actor_id, changes).await?;
    after_push(app, repository, actor_id, &updates).await
}

/// The part of [`update_refs`] that is done when the branches have moved. For
/// those who have something to write before [`after_push`], which they owe.
pub(crate) async fn move_refs(
    app: &App,
    repository: &Repository,
    actor_id: Option<i64>,
    changes: &[RefChange],
) -> Result<Vec<RefUpdate>> {
    let guard = app.lock_refs(repository.id).await;
    app.git(repository).update_refs(changes).await?;
    let updates = notice_locked(app, repository, actor_id).await?;
    drop(guard);
    Ok(updates)
}

/// Finds out what changed since the last look, records it and tells anyone who
/// has to act on it.
pub(crate) async fn notice(
    app: &App,
    repository: &Repository,
    actor_id: Option<i64>,
) -> Result<Vec<RefUpdate>> {
    let guard = app.lock_refs(repository.id).await;
    let updates = notice_locked(app, repository, actor_id).await?;
    drop(guard);
    after_push(app, repository, actor_id, &updates).await?;
    Ok(updates)
}

async fn notice_locked(
    app: &App,
    repository: &Repository,
    actor_id: Option<i64>,
) -> Result<Vec<RefUpdate>> {
    let git = app.git(repository);
    let found = git.refs(&["refs/heads", "refs/tags"]).await?;
    let now: Refs = found
        .into_iter()
        .map(|found| (found.name, found.oid.to_string()))
        .collect();
    let before = app.rows(|conn| refs::for_repository(conn, repository.id))?;
    let updates = differences(&git, &before, &now).await?;
    if updates.is_empty() {
        return Ok(updates);
    }
    let recorded = updates.clone();
    app.change(repository.id, actor_id, move |change| {
        record(change, &recorded)
    })
    .await?;
    Ok(updates)
}

async fn differences(git: &GitRepository, before: &Refs, now: &Refs) -> Result<Vec<RefUpdate>> {
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    let mut updates = Vec::new();
    for name in now.keys().chain(gone) {
        let (old, new) = (before.get(name), now.get(name));
        if old == new {
            continue;
        }
        let (old, new) = (
            old.and_then(|oid| Oid::parse(oid)),
            new.and_then(|oid| Oid::parse(oid)),
        );
        let forced = match (&old, &new) {
            // The old commit may be gone for good, and then it is no ancestor.
            (Some(old), Some(new)) => !git.is_ancestor(old, new).await.unwrap_or(false),
            _ => false,
        };
        updates.push(RefUpdate {
            name: name.clone(),
            before: old,
            after: new,
            forced,
        });
    }
    Ok(updates)
}

/// Everything that follows from a change of refs and must not get lost is
/// written here, in the transaction that takes note of the change.
fn record(change: Change<'_>, updates: &[RefUpdate]) -> Result<()> {
    for update in updates {
        let oid = |side: &Option<Oid>| side.as_ref().map(Oid::to_string);
        let (before, after) = (oid(&update.before), oid(&update.after));
        refs::set(
            change.tx,
            change.repository_id,
            &update.name,
            after.as_deref(),
        )?;
        let data = json!({
            "ref": update.name,
            "before": before.as_deref().unwrap_or(NO_COMMIT),
            "after": after.as_deref().unwrap_or(NO_COMMIT),
            "created": before.is_none(),
            "deleted": after.is_none(),
            "forced": update.forced,
        });
        if before.is_none() {
            change.tell("create", None, None, Some(data.clone()))?;
        }
        change.tell("push", None, None, Some(data.clone()))?;
        if after.is_none() {
            change.tell("delete", None, None, Some(data))?;
        }
    }
    repositories::set_pushed_at(change.tx, change.repository_id, change.at)?;
    Ok(())
}

/// What follows from a push and can be made up for later: it is found again
/// from the facts that [`record`] wrote.
pub(crate) async fn after_push(
    app: &App,
    repository: &Repository,
    actor_id: Option<i64>,
    updates: &[RefUpdate],
) -> Result<()> {
    if updates.is_empty() {
        return Ok(());
    }
    pulls::sync_repository(app, repository, actor_id).await?;
    pulls::close_fixed_issues(app, repository, updates, actor_id).await?;
    // Anyone who pushed and then asks for checks finds them.
    if let Err(error) = runner::plan::catch_up(app).await {
        tracing::error!(?error, "the checks of a push are late");
    }
    Ok(())
}
