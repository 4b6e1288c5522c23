//! What is left of a stack after a merge follows: the lowest pull request gets the base of the whole
//! stack, and the branches are rebased onto what was merged.

use super::{oid, sync, update};
use crate::actions::prelude::*;
use crate::actions::pushes;
use crate::git::{Person, RefChange};
use crate::store::stacks::{self, Stack};
use crate::store::{pulls, refs, repositories};

/// Of one repository or of all. What fails is tried again at the next occasion.
pub(super) async fn restack_all(app: &App, only: Option<i64>) {
    let waiting = match app.rows(stacks::to_restack) {
        Ok(waiting) => waiting,
        Err(error) => return tracing::error!(?error, "stacks could not be found"),
    };
    for (repository_id, id) in waiting {
        if only.is_none_or(|only| only == repository_id)
            && let Err(error) = restack(app, repository_id, id).await
        {
            tracing::warn!(?error, id, "a stack does not follow its merge");
        }
    }
}

async fn restack(app: &App, repository_id: i64, id: i64) -> Result<()> {
    let (repository, stack) = app.rows(|conn| {
        let repository = repositories::by_id(conn, repository_id)?;
        Ok((repository, stacks::by_id(conn, id)?))
    })?;
    let Some(stack) = stack else { return Ok(()) };
    let open = stack.members.iter().position(|pull| pull.merged.is_none());
    let Some((merged, rest)) = open.and_then(|open| stack.members.split_at_checked(open)) else {
        return Ok(());
    };
    let (Some(below), Some(lowest)) = (merged.last(), rest.first()) else {
        return Ok(());
    };
    let Some(tip) = retarget(app, &repository, &stack, lowest).await? else {
        return Ok(());
    };
    let Some(user) = below.merged.as_ref().and_then(|merged| merged.by.clone()) else {
        return sync::sync_pull(app, lowest.id(), None).await;
    };
    let moves = moved_branches(app, &repository, &tip, below, rest, &user).await?;
    let caller = Caller::acting_for(user);
    let cx = RepoContext {
        app,
        caller: &caller,
        repository: &repository,
    };
    // Where a rule forbids that, the author has to do it.
    if !moves.is_empty()
        && let Err(error) = pushes::update_refs_as(cx, &moves).await
    {
        tracing::info!(?error, "the rest of a stack was not rebased");
    }
    sync::sync_pull(app, lowest.id(), None).await
}

/// Gives the tip of the new base; nothing where another call was faster.
async fn retarget(
    app: &App,
    repository: &Repository,
    stack: &Stack,
    lowest: &Pull,
) -> Result<Option<Oid>> {
    let guard = app.lock_pulls(repository.id).await;
    let (id, base_ref) = (lowest.id(), stack.base_ref.clone());
    let tip = app.change(repository.id, None, move |change| {
        let name = format!("refs/heads/{base_ref}");
        let tip = refs::find(change.tx, change.repository_id, &name)?;
        let pull = pulls::by_id(change.tx, id)?;
        let pull = pull.filter(|pull| pull.is_open() && pull.base_ref != base_ref);
        let (Some(tip), Some(pull)) = (tip, pull) else {
            return Ok(None);
        };
        change.timeline(id, "automatic_base_change_succeeded", None)?;
        update::set_base(change, &pull, &base_ref, &tip)?;
        Ok(Some(tip))
    });
    let tip = tip.await?;
    drop(guard);
    tip.as_deref().map(oid).transpose()
}

/// Up to the first that is closed or has conflicts.
async fn moved_branches(
    app: &App,
    repository: &Repository,
    tip: &Oid,
    below: &Pull,
    rest: &[Pull],
    user: &User,
) -> Result<Vec<RefChange>> {
    let git = app.git(repository);
    let committer = Person::from_user(user, &app.now());
    let (mut onto, mut upstream) = (tip.clone(), oid(&below.head_sha)?);
    let mut moves = Vec::new();
    for pull in rest.iter().take_while(|pull| pull.is_open()) {
        let head = oid(&pull.head_sha)?;
        let mut new = head.clone();
        if !git.is_ancestor(&onto, &head).await? {
            let rebased = git
                .rebased_onto(&onto, &upstream, &head, &committer)
                .await?;
            let Some(rebased) = rebased else { break };
            new = rebased;
            moves.push(RefChange {
                name: format!("refs/heads/{}", pull.head_ref),
                old: Some(head.clone()),
                new: Some(new.clone()),
            });
        }
        (onto, upstream) = (new, head);
    }
    Ok(moves)
}
