//! Issues that are over because of what came into the default branch.

use super::closing::{self, Reference};
use crate::actions::issues as issue_actions;
use crate::actions::prelude::*;
use crate::actions::pushes::RefUpdate;
use crate::git::HistoryRange;
use crate::store::issues::{self, IssueState};
use crate::store::{repositories, users};

/// Commits of one push whose messages are read for closing keywords.
const MAX_MESSAGES: usize = 250;

/// Commits that came into the default branch close the issues that their
/// messages name.
pub(crate) async fn close_fixed_issues(
    app: &App,
    repository: &Repository,
    updates: &[RefUpdate],
    actor_id: Option<i64>,
) -> Result<()> {
    let default = Some(repository.default_branch.as_str());
    let update = updates.iter().find(|update| update.branch() == default);
    // A first push brings history along; what it names is over.
    let Some((before, after)) =
        update.and_then(|update| update.before.as_ref().zip(update.after.as_ref()))
    else {
        return Ok(());
    };
    let git = app.git(repository);
    let range = HistoryRange {
        exclude: Some(before),
        limit: Some(MAX_MESSAGES),
        ..HistoryRange::new(after)
    };
    let commits = git.commits(&git.history(&range).await?).await?;
    let root = app.urls().page("");
    let mut fixed = Vec::new();
    for commit in &commits {
        for reference in closing::references(&commit.message, &root) {
            fixed.push((reference, commit.oid.to_string()));
        }
    }
    if fixed.is_empty() {
        return Ok(());
    }
    let closing = repository.clone();
    app.change(repository.id, actor_id, move |change| {
        for (reference, commit) in &fixed {
            close(change, &closing, reference, commit)?;
        }
        Ok(())
    })
    .await
}

/// A merged pull request closes the issues that its description names.
/// `root` is the forge's own address.
pub(super) fn for_pull(
    change: Change<'_>,
    repository: &Repository,
    pull: &Pull,
    commit: &str,
    root: &str,
) -> Result<()> {
    if pull.base_ref != repository.default_branch {
        return Ok(());
    }
    let body = pull.issue.body.as_deref().unwrap_or_default();
    for reference in closing::references(body, root) {
        close(change, repository, &reference, commit)?;
    }
    Ok(())
}

/// Closes an issue of the same repository, or of another in which the actor may
/// write.
fn close(
    change: Change<'_>,
    repository: &Repository,
    reference: &Reference,
    commit: &str,
) -> Result<()> {
    let tx = change.tx;
    let target = match &reference.repository {
        None => Some(repository.clone()),
        Some((owner, name)) => repositories::by_name(tx, owner, name)?,
    };
    let Some(target) = target else { return Ok(()) };
    if target.id != repository.id {
        let Some(actor) = change.actor_id else {
            return Ok(());
        };
        let actor = users::by_id(tx, actor)?;
        if repositories::permission(tx, &target, Some(&actor))? < Permission::Write {
            return Ok(());
        }
    }
    let found = issues::by_number(tx, target.id, reference.number)?;
    let Some(mut issue) = found.filter(|issue| !issue.is_pull && issue.state == IssueState::Open)
    else {
        return Ok(());
    };
    let there = Change {
        repository_id: target.id,
        ..change
    };
    issue_actions::close_by(there, &mut issue, "completed", Some(commit))
}
