//! Letting go of what a run holds in a checkout: worktree, branch, port. All of
//! it is found by the run's claim, so it works from wherever the run was left.

use std::fs;
use std::path::Path;

use baton_host::git::{self, Call, Git, GitError, Oid, RefMove};
use baton_workflow::RunId;

use crate::AgentStep;
use crate::claim::{self, Claim};
use crate::commits;
use crate::ports;
use crate::prep::{self, is_clean, ports_folder};
use crate::repository;
use crate::step_error::StepError;
use crate::workspace::{self, CheckoutLock};

/// What becomes of the branch.
pub(crate) enum Fate<'a> {
    /// Everything up to this commit is on the forge, merged or in the pull request: the branch is not
    /// needed here.
    OnForge(&'a Oid),
    /// Work that no one merged stays on the branch.
    KeptIfWorked,
}

/// What was not let go.
#[derive(Default)]
pub(crate) struct LetGo {
    /// The branch stays here because it has commits.
    pub(crate) kept_branch: Option<String>,
}

/// Lets go of everything. Fine where nothing is held any more.
pub(crate) async fn let_go(step: &AgentStep<'_>, fate: Fate<'_>) -> Result<LetGo, StepError> {
    let checkout = &step.place.checkout;
    let claims = claim::claims_of(checkout);
    let run = step.call.run();
    let Some(claim) = Claim::load(&claims, run) else {
        return Ok(LetGo::default());
    };
    let lock = CheckoutLock::take(step).await?;
    let git = workspace::git(step).await?;
    let mut done = LetGo::default();
    if claim.in_place {
        leave(step, &git, &claim, &fate).await?;
    } else {
        remove_worktree(step, &git, &claim, &fate).await?;
    }
    let name = kept_name(&claim, run);
    // The branch of an adopted pull request is the user's own.
    if claim.adopted {
        let is_kept = git
            .find_commit(&format!("refs/heads/{name}"))
            .await?
            .is_some();
        done.kept_branch = is_kept.then_some(name);
    } else if !delete_branch(&git, &claim, &fate).await? {
        done.kept_branch = Some(name);
    }
    if let Some(port) = claim.port {
        ports::give_back(&ports_folder(step, &claims), port, run);
    }
    Claim::drop_of(&claims, run)?;
    // It takes the lock itself.
    drop(lock);
    prep::let_go(step).await;
    let _lock = CheckoutLock::take(step).await?;
    remove_if_last(checkout);
    Ok(done)
}

/// The folder beside the checkout goes with its last run. Others may wait for
/// the lock in it; they look whether it is still there.
fn remove_if_last(checkout: &Path) {
    let folder = claim::worktrees_of(checkout);
    let _ = fs::remove_dir(claim::claims_of(checkout).join("ports"));
    let _ = fs::remove_dir(claim::claims_of(checkout));
    let is_last = fs::read_dir(&folder).is_ok_and(|entries| {
        let mut names = entries.flatten().map(|entry| entry.file_name());
        names.all(|name| name == ".lock")
    });
    if is_last {
        let _ = fs::remove_file(folder.join(".lock"));
        let _ = fs::remove_dir(&folder);
    }
}

/// Fine where there is none. Work that is to be kept becomes a branch of the
/// user's checkout.
async fn remove_worktree(
    step: &AgentStep<'_>,
    checkout: &Git,
    claim: &Claim,
    fate: &Fate<'_>,
) -> Result<(), StepError> {
    let worktree = claim.path(&step.place.checkout);
    let repository = repository::path(step);
    if repository.join("HEAD").exists() {
        let git = repository::open(step, &worktree).await?;
        if worktree.exists() {
            save_rest(step, &git, fate).await?;
        }
        keep_branch(step, &git, checkout, claim, fate).await?;
    }
    for folder in [&worktree, &repository] {
        git::remove_all(folder).map_err(|error| {
            StepError::file(format_args!("remove {}", folder.display()), &error)
        })?;
    }
    Ok(())
}

/// Copies exactly one branch to the checkout, if its work would be lost.
async fn keep_branch(
    step: &AgentStep<'_>,
    git: &Git,
    checkout: &Git,
    claim: &Claim,
    fate: &Fate<'_>,
) -> Result<(), StepError> {
    let tip = git.commit("HEAD").await?;
    let name = format!("refs/heads/{}", kept_name(claim, step.call.run()));
    let is_needed = match fate {
        Fate::OnForge(head) => tip != **head && !is_part(git, &tip, head).await?,
        Fate::KeptIfWorked => tip != claim.begun,
    };
    if !is_needed || checkout.find_commit(&name).await?.is_some() {
        return Ok(());
    }
    let objects = repository::path(step).join("objects");
    checkout.take_objects(&objects, &tip, &claim.begun).await?;
    let keep = RefMove {
        name,
        from: None,
        to: Some(tip),
    };
    checkout
        .update_refs(&[keep], "baton: work of a run that ended")
        .await?;
    Ok(())
}

/// The branch that keeps work which is nowhere else.
fn kept_name(claim: &Claim, run: &RunId) -> String {
    if claim.adopted {
        format!("baton/{run}")
    } else {
        claim.branch.clone()
    }
}

/// Back to where the user was, where nothing of theirs is in the way.
async fn leave(
    step: &AgentStep<'_>,
    git: &Git,
    claim: &Claim,
    fate: &Fate<'_>,
) -> Result<(), StepError> {
    if git.head().await?.branch() != Some(claim.branch.as_str()) {
        return Ok(());
    }
    save_rest(step, git, fate).await?;
    if !is_clean(git).await? {
        return Err(StepError::blocked(format!(
            "{} has changes that are not committed; commit or stash them",
            step.place.checkout.display()
        )));
    }
    let call = Call::write(format!("check out {}", claim.base)).args(["switch", "--quiet"]);
    let call = if git.branch_exists(&claim.base).await? {
        call.arg(&claim.base)
    } else {
        call.args(["--detach", claim.begun.as_str()])
    };
    Ok(git.call(call).await?.success().map(drop)?)
}

/// Nothing that someone wrote is thrown away: what is not committed becomes a
/// commit of a branch that stays, or a patch in the folder of the run.
async fn save_rest(step: &AgentStep<'_>, git: &Git, fate: &Fate<'_>) -> Result<(), StepError> {
    if is_clean(git).await? {
        return Ok(());
    }
    match fate {
        Fate::KeptIfWorked => {
            let message = "wip: work that was under way when the run ended";
            commits::commit_rest(git, message, &step.call.key).await?;
        }
        Fate::OnForge(_) => {
            commits::uncommitted(git).await?;
            let call = Call::read("save what is not committed")
                .args(["diff", "--cached", "--binary", "HEAD"]);
            let patch = git.call(call).await?.success()?.stdout;
            let file = step.context.folder().join("left-over.patch");
            save(&file, &patch)?;
            let unstage = Call::write("leave the files as they are").args(["reset", "--quiet"]);
            git.call(unstage).await?.success()?;
        }
    }
    Ok(())
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), StepError> {
    if bytes.is_empty() {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    let saved = fs::create_dir_all(folder).and_then(|()| fs::write(path, bytes));
    saved.map_err(|error| StepError::file(format_args!("write {}", path.display()), &error))
}

/// `false` where it stays because of its commits.
async fn delete_branch(git: &Git, claim: &Claim, fate: &Fate<'_>) -> Result<bool, GitError> {
    let name = format!("refs/heads/{}", claim.branch);
    let Some(tip) = git.find_commit(&name).await? else {
        return Ok(true);
    };
    let is_needed = match fate {
        Fate::OnForge(head) => tip != **head && !is_part(git, &tip, head).await?,
        Fate::KeptIfWorked => tip != claim.begun,
    };
    if is_needed {
        return Ok(false);
    }
    let delete = RefMove {
        name,
        from: Some(tip),
        to: None,
    };
    git.update_refs(&[delete], "baton: the run has ended")
        .await?;
    Ok(true)
}

/// Whether a commit is in a history. One that was never fetched is in none.
async fn is_part(git: &Git, commit: &Oid, head: &Oid) -> Result<bool, GitError> {
    if git.find_commit(head.as_str()).await?.is_none() {
        return Ok(false);
    }
    git.is_ancestor(commit.as_str(), head.as_str()).await
}
