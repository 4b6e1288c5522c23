//! Creating, forking and deleting repositories.

mod settings;

use baton_host::git::GitError;

use crate::actions::prelude::*;
use crate::actions::pushes;
use crate::git::names;
use crate::store::labels;
use crate::store::repositories::{self, NewRepository};
use crate::store::users::{self, UserKind};

pub(crate) use settings::{Edit, update};

/// Longer names are refused by GitHub, too.
const MAX_NAME_LEN: usize = 100;

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

/// The account under whose name the caller may make repositories.
pub(crate) fn owner_for(app: &App, caller: &Caller, login: &str) -> Result<User> {
    let user = caller.user()?;
    if user.login.eq_ignore_ascii_case(login) {
        return Ok(user.clone());
    }
    app.read(|conn| {
        let owner = users::by_login(conn, login)?.ok_or(ApiError::NotFound)?;
        if owner.kind != UserKind::Organization {
            return Err(ApiError::NotFound);
        }
        if user.site_admin || users::is_member(conn, owner.id, user.id)? {
            return Ok(owner);
        }
        Err(ApiError::Forbidden(
            "You need admin access to the organization before adding a repository to it."
                .to_owned(),
        ))
    })
}

/// As the caller's own or an organisation's. Rights have been checked.
pub(crate) async fn create(app: &App, owner: &User, creation: Creation) -> Result<Repository> {
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
) -> Result<Repository> {
    let existing = app.read(|conn| {
        let forks = repositories::forks_of(conn, source.id)?;
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
    app.rows(|conn| repositories::by_id(conn, repository.id))
}

/// Makes the folder of a repository whose making was cut off.
pub(crate) async fn repair(app: &App, repository: &Repository) -> Result<()> {
    let git = app.git(repository);
    if repository.path.is_some() || git.exists() {
        return Ok(());
    }
    tracing::warn!(repository = %repository.full_name(), "a repository is made again");
    let Some(parent) = repository.fork_of else {
        return Ok(git.init(&repository.default_branch).await?);
    };
    let source = app.rows(|conn| repositories::by_id(conn, parent))?;
    Ok(copy(&git, &app.git(&source), &source.default_branch, None).await?)
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

pub(crate) async fn delete(app: &App, repository: &Repository) -> Result<()> {
    let id = repository.id;
    let guard = app.lock_refs(id).await;
    app.write(move |tx| Ok(repositories::delete(tx, id)?))
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

async fn insert(
    app: &App,
    owner: &User,
    creation: Creation,
    fork_of: Option<i64>,
) -> Result<Repository> {
    check_name(&creation.name)?;
    let (owner, at) = (owner.clone(), app.now());
    app.write(move |tx| {
        if repositories::by_name(tx, &owner.login, &creation.name)?.is_some() {
            return Err(name_is_taken());
        }
        repositories::forget_old_name(tx, owner.id, &creation.name)?;
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
        let id = repositories::create(tx, &new)?;
        labels::create_defaults(tx, id)?;
        Ok(repositories::by_id(tx, id)?)
    })
    .await
}

fn check_branch(branch: &str) -> Result<()> {
    if names::is_branch(branch) {
        return Ok(());
    }
    Err(ApiError::Invalid(vec![FieldError::new(
        "Repository",
        "default_branch",
        "invalid",
    )]))
}

/// A repository without a folder would fail in every use.
async fn undo_creation(app: &App, repository: &Repository, error: GitError) -> ApiError {
    let id = repository.id;
    let undone = app.write(move |tx| Ok(repositories::delete(tx, id)?)).await;
    match undone {
        Ok(()) => error.into(),
        Err(worse) => worse,
    }
}

fn check_name(name: &str) -> Result<()> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_reserved = matches!(name, "." | "..") || name.to_ascii_lowercase().ends_with(".git");
    if name.is_empty() || name.len() > MAX_NAME_LEN || !name.chars().all(is_allowed) || is_reserved
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
