//! The checkout that a run belongs to: the one around a folder, or one that
//! baton keeps for itself.

use std::fs;
use std::path::{Path, PathBuf};

use baton_protocol::Repository;
use baton_remote::github::Server;
use tokio_util::sync::CancellationToken;

use super::order::own_checkouts;
use crate::checkout;
use crate::error::CommandError;
use crate::github::{self, GitHubAccess};
use crate::session::Session;
use crate::terminal::sanitize;

pub(super) struct Checkout {
    pub(super) folder: PathBuf,
    pub(super) host: String,
    pub(super) repository: Repository,
}

/// The checkout around a folder, with the repository of its remote.
pub(super) async fn around(
    folder: &Path,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<Checkout, CommandError> {
    let no_checkout = || {
        CommandError::missing("this folder is not in a git repository")
            .hint("Run baton inside one, or name a repository with --repo owner/name.")
    };
    let git = checkout::open_git(folder, &session.environment, cancel)
        .await
        .map_err(|error| no_checkout().because(sanitize(&error.to_string())))?;
    let facts = git.facts().await.map_err(|_| no_checkout())?;
    let top_level = facts.top_level.ok_or_else(no_checkout)?;
    let remote = checkout::repository(&top_level, &session.environment, cancel).await;
    let (host, repository) = remote.ok_or_else(|| {
        CommandError::missing(format!(
            "the checkout {} has no remote on GitHub or a local forge",
            sanitize(&top_level.to_string_lossy())
        ))
        .hint("Add one: `git remote add origin URL`. `baton forge` serves one on this machine.")
    })?;
    Ok(Checkout {
        folder: top_level,
        host,
        repository,
    })
}

/// A checkout in baton's state folder, cloned when it is not there yet.
pub(super) async fn own(
    access: &GitHubAccess,
    host: Option<&str>,
    repository: Repository,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<Checkout, CommandError> {
    let server = match host {
        Some(host) => access.server_of(host),
        None => access.configured().clone(),
    };
    let host = server.host();
    let folder = own_checkouts(session)?
        .join(host.replace(':', "_"))
        .join(repository.owner())
        .join(repository.name());
    if !folder.join(".git").exists() {
        clone(access, &server, &repository, &folder, session, cancel).await?;
    }
    Ok(Checkout {
        folder,
        host,
        repository,
    })
}

async fn clone(
    access: &GitHubAccess,
    server: &Server,
    repository: &Repository,
    folder: &Path,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<(), CommandError> {
    let unusable = |error: std::io::Error| {
        CommandError::missing(format!(
            "cannot make the folder {}",
            sanitize(&folder.to_string_lossy())
        ))
        .because(error)
        .hint("Check that the state folder can be written to; `baton doctor` says where it is.")
    };
    let parent = folder.parent().unwrap_or(folder);
    fs::create_dir_all(parent).map_err(unusable)?;
    // Cloned under another name: half a clone is never taken for one.
    let unfinished = tempfile::Builder::new()
        .prefix(".cloning-")
        .tempdir_in(parent)
        .map_err(unusable)?;
    let workplace = access
        .workplace(server, folder.to_path_buf(), cancel)
        .await
        .map_err(github::command_error)?;
    let url = format!("{}/{repository}.git", server.web_url());
    let git = checkout::open_git(unfinished.path(), &session.environment, cancel)
        .await
        .map_err(|error| {
            CommandError::missing(format!("cannot clone {repository}"))
                .because(error)
                .hint("Install git, or add its folder to PATH.")
        })?
        .with_login(workplace.authorization);
    let cloned = git.clone_repository(&url, Path::new("clone")).await;
    if cancel.is_cancelled() {
        return Err(CommandError::interrupted());
    }
    cloned.map_err(|error| {
        CommandError::missing(format!("cannot clone {repository}"))
            .because(sanitize(&error.to_string()))
            .hint("Check its name and that your token may read it; `baton doctor` looks at the token.")
    })?;
    fs::rename(unfinished.path().join("clone"), folder).map_err(unusable)
}
