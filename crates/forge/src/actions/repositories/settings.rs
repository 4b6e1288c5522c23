//! What the settings page of a repository offers.

use crate::actions::prelude::*;
use crate::store::repositories;

use super::{check_branch, check_name, name_is_taken};

/// What is to be different; what is absent stays.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::option_option,
    reason = "to leave as it is, to take away and to set are three different wishes"
)]
pub(crate) struct Edit {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<Option<String>>,
    pub(crate) private: Option<bool>,
    pub(crate) archived: Option<bool>,
    pub(crate) has_issues: Option<bool>,
    pub(crate) default_branch: Option<String>,
    pub(crate) allow_merge_commit: Option<bool>,
    pub(crate) allow_squash_merge: Option<bool>,
    pub(crate) allow_rebase_merge: Option<bool>,
    pub(crate) allow_auto_merge: Option<bool>,
    pub(crate) allow_update_branch: Option<bool>,
    pub(crate) delete_branch_on_merge: Option<bool>,
    pub(crate) squash_merge_commit_title: Option<String>,
    pub(crate) squash_merge_commit_message: Option<String>,
    pub(crate) merge_commit_title: Option<String>,
    pub(crate) merge_commit_message: Option<String>,
}

pub(crate) async fn update(cx: RepoContext<'_>, edit: Edit) -> Result<Repository> {
    if let Some(branch) = &edit.default_branch {
        check_default_branch(cx.app, cx.repository, branch).await?;
    }
    let (id, head) = (cx.repository.id, edit.default_branch.clone());
    let updated = cx
        .change(move |change| {
            let mut repository = repositories::by_id(change.tx, id)?;
            apply(change, &mut repository, edit)?;
            change.at.clone_into(&mut repository.updated_at);
            repositories::update(change.tx, &repository)?;
            Ok(repository)
        })
        .await?;
    if let Some(branch) = head {
        cx.app.git(&updated).set_head(&branch).await?;
    }
    Ok(updated)
}

fn apply(change: Change<'_>, repository: &mut Repository, mut edit: Edit) -> Result<()> {
    if let Some(name) = edit.name.take().filter(|name| *name != repository.name) {
        rename(change, repository, name)?;
    }
    if let Some(description) = edit.description.take() {
        repository.description = description;
    }
    if let Some(archived) = edit.archived.filter(|new| *new != repository.archived) {
        repository.archived = archived;
        let action = if archived { "archived" } else { "unarchived" };
        change.event("repository", action, repository.id, None)?;
    }
    let switches = [
        (&mut repository.private, edit.private),
        (&mut repository.has_issues, edit.has_issues),
        (&mut repository.allow_merge_commit, edit.allow_merge_commit),
        (&mut repository.allow_squash_merge, edit.allow_squash_merge),
        (&mut repository.allow_rebase_merge, edit.allow_rebase_merge),
        (&mut repository.allow_auto_merge, edit.allow_auto_merge),
        (
            &mut repository.allow_update_branch,
            edit.allow_update_branch,
        ),
        (
            &mut repository.delete_branch_on_merge,
            edit.delete_branch_on_merge,
        ),
    ];
    for (setting, new) in switches {
        *setting = new.unwrap_or(*setting);
    }
    if let Some(branch) = edit.default_branch.take() {
        repository.default_branch = branch;
    }
    choose_merge_texts(repository, edit)?;
    let may_merge = repository.allow_merge_commit
        || repository.allow_squash_merge
        || repository.allow_rebase_merge;
    if may_merge {
        Ok(())
    } else {
        let message = "Sorry, you need to allow at least one merge strategy.".to_owned();
        Err(ApiError::invalid(
            "Repository",
            "merge_commit_allowed",
            "custom",
            Some(message),
        ))
    }
}

/// Where titles and messages of merge commits are taken from.
fn choose_merge_texts(repository: &mut Repository, edit: Edit) -> Result<()> {
    choose(
        &mut repository.squash_merge_commit_title,
        ("squash_merge_commit_title", edit.squash_merge_commit_title),
        &["PR_TITLE", "COMMIT_OR_PR_TITLE"],
    )?;
    choose(
        &mut repository.squash_merge_commit_message,
        (
            "squash_merge_commit_message",
            edit.squash_merge_commit_message,
        ),
        &["PR_BODY", "COMMIT_MESSAGES", "BLANK"],
    )?;
    choose(
        &mut repository.merge_commit_title,
        ("merge_commit_title", edit.merge_commit_title),
        &["PR_TITLE", "MERGE_MESSAGE"],
    )?;
    choose(
        &mut repository.merge_commit_message,
        ("merge_commit_message", edit.merge_commit_message),
        &["PR_BODY", "PR_TITLE", "BLANK"],
    )
}

fn choose(
    setting: &mut String,
    (field, new): (&'static str, Option<String>),
    known: &[&str],
) -> Result<()> {
    let Some(new) = new else {
        return Ok(());
    };
    if !known.contains(&new.as_str()) {
        return Err(ApiError::invalid("Repository", field, "invalid", None));
    }
    *setting = new;
    Ok(())
}

fn rename(change: Change<'_>, repository: &mut Repository, name: String) -> Result<()> {
    check_name(&name)?;
    let owner = &repository.owner;
    let taken = repositories::by_name(change.tx, &owner.login, &name)?;
    if taken.is_some_and(|taken| taken.id != repository.id) {
        return Err(name_is_taken());
    }
    repositories::forget_old_name(change.tx, owner.id, &name)?;
    let old = std::mem::replace(&mut repository.name, name);
    // A name that differs in case only is found under both.
    if !old.eq_ignore_ascii_case(&repository.name) {
        repositories::remember_old_name(change.tx, repository, &old)?;
    }
    let data = json!({"changes": {"repository": {"name": {"from": old}}}});
    change.event("repository", "renamed", repository.id, Some(data))
}

async fn check_default_branch(app: &App, repository: &Repository, branch: &str) -> Result<()> {
    check_branch(branch)?;
    let git = app.git(repository);
    let branches = git.refs(&["refs/heads"]).await?;
    let wanted = format!("refs/heads/{branch}");
    if branches.is_empty() || branches.iter().any(|found| found.name == wanted) {
        return Ok(());
    }
    let message = format!(
        "The branch {branch} was not found. Please push that ref first or create it via the Git Data API."
    );
    Err(ApiError::invalid(
        "Repository",
        "default_branch",
        "invalid",
        Some(message),
    ))
}
