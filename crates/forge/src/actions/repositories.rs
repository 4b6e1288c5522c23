use baton_host::git::GitError;

use crate::app::App;
use crate::error::ApiError;
use crate::git::names;
use crate::store::labels;
use crate::store::repositories::{self, NewRepository, Repository};
use crate::store::users::User;

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

pub(crate) async fn create(
    app: &App,
    owner: &User,
    creation: Creation,
) -> Result<Repository, ApiError> {
    check_name(&creation.name)?;
    if !names::is_branch(&creation.default_branch) {
        return Err(ApiError::invalid(
            "Repository",
            "default_branch",
            "invalid",
            None,
        ));
    }
    let at = app.now();
    let owner_id = owner.id;
    let repository = app
        .write(move |transaction| {
            let owner = crate::store::users::by_id(transaction, owner_id)?;
            if repositories::by_name(transaction, &owner.login, &creation.name)?.is_some() {
                return Err(name_is_taken());
            }
            repositories::forget_old_name(transaction, owner_id, &creation.name)?;
            let id = repositories::create(
                transaction,
                &NewRepository {
                    owner_id,
                    name: &creation.name,
                    description: creation.description.as_deref(),
                    private: creation.private,
                    default_branch: &creation.default_branch,
                    fork_of: None,
                    path: creation.path.as_deref(),
                    at: &at,
                },
            )?;
            labels::create_defaults(transaction, id)?;
            Ok(repositories::by_id(transaction, id)?)
        })
        .await?;
    if repository.path.is_none()
        && let Err(error) = app.git(&repository).init(&repository.default_branch).await
    {
        undo_creation(app, &repository, error).await?;
    }
    Ok(repository)
}

/// A repository without a folder would fail in every use.
async fn undo_creation(
    app: &App,
    repository: &Repository,
    error: GitError,
) -> Result<(), ApiError> {
    let id = repository.id;
    app.write(move |transaction| Ok(repositories::delete(transaction, id)?))
        .await?;
    Err(error.into())
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
