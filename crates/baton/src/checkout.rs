//! The git checkout around a folder.

use std::path::Path;

use baton_host::cmd::Environment;
use baton_host::git::{Git, GitError};
use baton_protocol::Repository;
use tokio_util::sync::CancellationToken;

pub(crate) async fn open_git(
    folder: &Path,
    environment: &Environment,
    cancel: &CancellationToken,
) -> Result<Git, GitError> {
    let git = Git::open(folder, environment).await?;
    Ok(git.with_cancellation(cancel.clone()))
}

/// The repository that pull requests go to, with its host: that of the remote
/// `origin`, or of the only other one.
pub(crate) async fn repository(
    folder: &Path,
    environment: &Environment,
    cancel: &CancellationToken,
) -> Option<(String, Repository)> {
    let git = open_git(folder, environment, cancel).await.ok()?;
    let remotes = git.remotes().await.ok()?;
    let remote = match &remotes[..] {
        [only] => only,
        several => several.iter().find(|remote| remote.name == "origin")?,
    };
    Repository::from_remote(remote.fetch_urls.first()?.expose())
}
