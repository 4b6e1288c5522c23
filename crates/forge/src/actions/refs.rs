//! Branches and tags that are made, moved and deleted without a push.

use baton_host::git::Oid;

use crate::actions::change::RepoContext;
use crate::actions::pushes;
use crate::error::{ApiError, Result};
use crate::git::{GitRepository, Ref, RefChange, names};

/// `name` is in full: `refs/heads/feature`. Rights have been checked.
pub(crate) async fn create(cx: RepoContext<'_>, name: &str, sha: &str) -> Result<Ref> {
    let git = cx.git();
    if !names::is_ref(name) || name.starts_with("refs/pull/") {
        return Err(refused("Reference name is not valid"));
    }
    let new = existing_object(&git, sha).await?;
    if git.find_ref(name).await?.is_some() {
        return Err(refused("Reference already exists"));
    }
    let change = RefChange {
        name: name.to_owned(),
        old: None,
        new: Some(new),
    };
    pushes::update_refs_as(cx, &[change]).await?;
    git.find_ref(name).await?.ok_or(ApiError::NotFound)
}

pub(crate) async fn delete(cx: RepoContext<'_>, name: &str) -> Result<()> {
    let found = cx.git().find_ref(name).await?;
    let found = found.ok_or_else(|| refused("Reference does not exist"))?;
    pushes::update_refs_as(cx, &[found.deletion()]).await
}

async fn existing_object(git: &GitRepository, sha: &str) -> Result<Oid> {
    let oid = Oid::parse(sha).ok_or_else(|| {
        refused("The sha parameter must be exactly 40 characters and contain only [0-9a-f].")
    })?;
    if git.has(&oid).await? {
        Ok(oid)
    } else {
        Err(refused("Object does not exist"))
    }
}

fn refused(message: &str) -> ApiError {
    ApiError::Unprocessable(message.to_owned())
}
