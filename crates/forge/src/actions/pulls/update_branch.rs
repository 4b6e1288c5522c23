//! Bringing the base branch's commits into the head.

use super::oid;
use crate::actions::prelude::*;
use crate::actions::pushes;
use crate::git::{NewCommit, Person, RefChange};
use crate::store::repositories;

pub(crate) async fn update_branch(
    cx: RepoContext<'_>,
    pull: &Pull,
    expected_head: Option<&str>,
) -> Result<()> {
    let user = cx.allowed_to_change(Permission::Read)?;
    let head_repository = writable_head(cx, pull)?;
    if !pull.is_open() {
        return Err(refused("Pull request is closed"));
    }
    if expected_head.is_some_and(|expected| expected != pull.head_sha) {
        return Err(refused("expected head sha didn’t match current head ref."));
    }
    if super::counts(cx.app, cx.repository, pull).await?.behind == 0 {
        return Err(refused("There are no new commits on the base branch."));
    }
    let git = cx.git();
    let by = Person::from_user(user, &cx.app.now());
    let new = merge_base_into_head(&git, pull, &by).await?;
    let new = new.ok_or_else(|| refused("merge conflict between base and head"))?;
    cx.app.git(&head_repository).import(&git, &new).await?;
    let change = RefChange {
        name: format!("refs/heads/{}", pull.head_ref),
        old: Some(oid(&pull.head_sha)?),
        new: Some(new),
    };
    pushes::update_refs(cx.app, &head_repository, Some(user.id), &[change]).await
}

/// Anyone who may push to the head, or maintains the base where the author lets
/// maintainers do so.
fn writable_head(cx: RepoContext<'_>, pull: &Pull) -> Result<Repository> {
    let maintains = pull.maintainer_can_modify && cx.allowed(Permission::Write).is_ok();
    cx.app.read(|conn| {
        let Some(id) = pull.head_repository_id else {
            return Err(refused("The head repository does not exist any more."));
        };
        let head_repository = repositories::by_id(conn, id)?;
        if !maintains {
            cx.caller.check(conn, &head_repository, Permission::Write)?;
        }
        Ok(head_repository)
    })
}

async fn merge_base_into_head(
    git: &GitRepository,
    pull: &Pull,
    by: &Person,
) -> Result<Option<Oid>> {
    let (base, head) = (oid(&pull.base_sha)?, oid(&pull.head_sha)?);
    let Some(tree) = git.merged_tree(&head, &base).await? else {
        return Ok(None);
    };
    let message = format!("Merge branch '{}' into {}", pull.base_ref, pull.head_ref);
    let new = NewCommit {
        tree: &tree,
        parents: &[head, base],
        author: by,
        committer: by,
        message: &message,
    };
    Ok(Some(git.write_commit(&new).await?))
}

fn refused(message: &str) -> ApiError {
    ApiError::refused(StatusCode::UNPROCESSABLE_ENTITY, message)
}
