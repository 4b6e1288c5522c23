use baton_host::git::GitError;
use serde_json::json;

use crate::actions::change::Change;
use crate::actions::pushes;
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, FieldError};
use crate::git::{GitRepository, names};
use crate::store::labels;
use crate::store::repositories::{self, NewRepository, Permission, Repository};
use crate::store::users::{self, User, UserKind};

/// Longer names are refused by GitHub, too.
const LONGEST_NAME: usize = 100;

/// A repository to be made.
#[derive(Debug, Clone)]
pub(crate) struct Creation {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) private: bool,
    pub(crate) default_branch: String,
    /// An existing git repository, which stays where it is.
    pub(crate) path: Option<String>,
}

/// What is to be different; what is absent stays.
#[derive(Debug, Clone, Default)]
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

/// The account under whose name the caller may make repositories.
pub(crate) fn owner_for(app: &App, caller: &Caller, login: &str) -> Result<User, ApiError> {
    let user = caller.user()?;
    if user.login.eq_ignore_ascii_case(login) {
        return Ok(user.clone());
    }
    app.read(|connection| {
        let owner = users::by_login(connection, login)?.ok_or(ApiError::NotFound)?;
        if owner.kind != UserKind::Organization {
            return Err(ApiError::NotFound);
        }
        if user.site_admin || users::is_member(connection, owner.id, user.id)? {
            return Ok(owner);
        }
        Err(ApiError::Forbidden(
            "You need admin access to the organization before adding a repository to it."
                .to_owned(),
        ))
    })
}

/// As the caller's own or an organisation's. Rights have been checked.
pub(crate) async fn create(
    app: &App,
    owner: &User,
    creation: Creation,
) -> Result<Repository, ApiError> {
    check_branch(&creation.default_branch)?;
    let repository = insert(app, owner, creation, None).await?;
    if repository.path.is_none()
        && let Err(error) = app.git(&repository).init(&repository.default_branch).await
    {
        return Err(undo_creation(app, &repository, error).await);
    }
    Ok(repository)
}

/// A copy of another repository. One that the owner has already is given back.
pub(crate) async fn fork(
    app: &App,
    owner: &User,
    source: &Repository,
    name: Option<String>,
    default_branch_only: bool,
) -> Result<Repository, ApiError> {
    let existing = app.read(|connection| {
        let forks = repositories::forks_of(connection, source.id)?;
        Ok(forks.into_iter().find(|fork| fork.owner.id == owner.id))
    })?;
    if let Some(existing) = existing {
        return Ok(existing);
    }
    if owner.id == source.owner.id {
        return Err(ApiError::Forbidden(
            "You cannot fork a repository into the account that owns it.".to_owned(),
        ));
    }
    let creation = Creation {
        name: name.unwrap_or_else(|| source.name.clone()),
        description: source.description.clone(),
        private: source.private,
        default_branch: source.default_branch.clone(),
        path: None,
    };
    let repository = insert(app, owner, creation, Some(source.id)).await?;
    let branch = default_branch_only.then_some(source.default_branch.as_str());
    let git = app.git(&repository);
    if let Err(error) = copy(&git, &app.git(source), &source.default_branch, branch).await {
        return Err(undo_creation(app, &repository, error).await);
    }
    pushes::notice(app, &repository, Some(owner.id)).await?;
    app.read(|connection| Ok(repositories::by_id(connection, repository.id)?))
}

async fn copy(
    git: &GitRepository,
    source: &GitRepository,
    default_branch: &str,
    only_branch: Option<&str>,
) -> Result<(), GitError> {
    git.init_from(source.path(), only_branch).await?;
    git.set_head(default_branch).await
}

pub(crate) async fn update(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    edit: Edit,
) -> Result<Repository, ApiError> {
    let user = caller.user()?.clone();
    if let Some(branch) = &edit.default_branch {
        check_default_branch(app, repository, branch).await?;
    }
    let head = edit.default_branch.clone();
    let id = repository.id;
    let updated = app
        .change(repository, &user, move |change| {
            let mut repository = repositories::by_id(change.transaction, id)?;
            apply(change, &mut repository, edit)?;
            change.at.clone_into(&mut repository.updated_at);
            repositories::update(change.transaction, &repository)?;
            Ok(repository)
        })
        .await?;
    if let Some(branch) = head {
        app.git(&updated).set_head(&branch).await?;
    }
    Ok(updated)
}

pub(crate) async fn delete(app: &App, repository: &Repository) -> Result<(), ApiError> {
    let id = repository.id;
    let guard = app.lock_refs(id).await;
    app.write(move |transaction| Ok(repositories::delete(transaction, id)?))
        .await?;
    if repository.path.is_none() {
        app.git(repository).remove()?;
    }
    if let Err(error) = app.run_files().remove_repository(id) {
        tracing::warn!(%error, "logs and artifacts of a deleted repository stay behind");
    }
    drop(guard);
    Ok(())
}

/// Gives a user rights there, at once: nobody has to accept an invitation.
pub(crate) async fn set_collaborator(
    app: &App,
    repository: &Repository,
    user: &User,
    permission: Permission,
) -> Result<(), ApiError> {
    let (repository_id, user_id) = (repository.id, user.id);
    app.write(move |transaction| {
        Ok(repositories::set_collaborator(
            transaction,
            repository_id,
            user_id,
            permission,
        )?)
    })
    .await
}

pub(crate) async fn remove_collaborator(
    app: &App,
    repository: &Repository,
    user: &User,
) -> Result<(), ApiError> {
    let (repository_id, user_id) = (repository.id, user.id);
    app.write(move |transaction| {
        Ok(repositories::remove_collaborator(
            transaction,
            repository_id,
            user_id,
        )?)
    })
    .await
}

async fn insert(
    app: &App,
    owner: &User,
    creation: Creation,
    fork_of: Option<i64>,
) -> Result<Repository, ApiError> {
    check_name(&creation.name)?;
    let (owner, at) = (owner.clone(), app.now());
    app.write(move |transaction| {
        if repositories::by_name(transaction, &owner.login, &creation.name)?.is_some() {
            return Err(name_is_taken());
        }
        repositories::forget_old_name(transaction, owner.id, &creation.name)?;
        let new = NewRepository {
            owner_id: owner.id,
            name: &creation.name,
            description: creation.description.as_deref(),
            private: creation.private,
            default_branch: &creation.default_branch,
            fork_of,
            path: creation.path.as_deref(),
            at: &at,
        };
        let id = repositories::create(transaction, &new)?;
        labels::create_defaults(transaction, id)?;
        Ok(repositories::by_id(transaction, id)?)
    })
    .await
}

fn apply(change: Change<'_>, repository: &mut Repository, edit: Edit) -> Result<(), ApiError> {
    if let Some(name) = edit.name.filter(|name| *name != repository.name) {
        rename(change, repository, name)?;
    }
    if let Some(description) = edit.description {
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
    if let Some(branch) = edit.default_branch {
        repository.default_branch = branch;
    }
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
    )?;
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

fn choose(
    setting: &mut String,
    (field, new): (&'static str, Option<String>),
    known: &[&str],
) -> Result<(), ApiError> {
    let Some(new) = new else {
        return Ok(());
    };
    if !known.contains(&new.as_str()) {
        return Err(ApiError::invalid("Repository", field, "invalid", None));
    }
    *setting = new;
    Ok(())
}

fn rename(change: Change<'_>, repository: &mut Repository, name: String) -> Result<(), ApiError> {
    check_name(&name)?;
    let owner = &repository.owner;
    let taken = repositories::by_name(change.transaction, &owner.login, &name)?;
    if taken.is_some_and(|taken| taken.id != repository.id) {
        return Err(name_is_taken());
    }
    repositories::forget_old_name(change.transaction, owner.id, &name)?;
    let old = std::mem::replace(&mut repository.name, name);
    // A name that differs in case only is found under both.
    if !old.eq_ignore_ascii_case(&repository.name) {
        repositories::remember_old_name(change.transaction, repository, &old)?;
    }
    let data = json!({"changes": {"repository": {"name": {"from": old}}}});
    change.event("repository", "renamed", repository.id, Some(data))
}

async fn check_default_branch(
    app: &App,
    repository: &Repository,
    branch: &str,
) -> Result<(), ApiError> {
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

fn check_branch(branch: &str) -> Result<(), ApiError> {
    if names::is_branch(branch) {
        return Ok(());
    }
    Err(ApiError::Invalid(vec![FieldError::of(
        "Repository",
        "default_branch",
        "invalid",
    )]))
}

/// A repository without a folder would fail in every use.
async fn undo_creation(app: &App, repository: &Repository, error: GitError) -> ApiError {
    let id = repository.id;
    let undone = app
        .write(move |transaction| Ok(repositories::delete(transaction, id)?))
        .await;
    match undone {
        Ok(()) => error.into(),
        Err(worse) => worse,
    }
}

fn check_name(name: &str) -> Result<(), ApiError> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_reserved = matches!(name, "." | "..") || name.to_ascii_lowercase().ends_with(".git");
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_allowed) || is_reserved
    {
        return Err(ApiError::invalid("Repository", "name", "invalid", None));
    }
    Ok(())
}

fn name_is_taken() -> ApiError {
    ApiError::invalid(
        "Repository",
        "name",
        "custom",
        Some("name already exists on this account".to_owned()),
    )
}
