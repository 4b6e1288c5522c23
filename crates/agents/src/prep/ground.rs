//! The branch and the folder that it is checked out in.

use std::path::Path;

use baton_host::git::{Call, Checkout, Git, GitError, WorktreeHead};
use baton_protocol::handoff::IssueType;

use super::names;
use crate::Errand;
use crate::claim::{self, Claim};
use crate::failure::Setback;
use crate::ports;
use crate::workspace::{self, CheckoutLock};

/// Other runs on the same issue, or leftovers, have these.
const MOST_BRANCHES: u32 = 50;

/// What is to be worked on.
pub(super) struct Subject<'a> {
    pub(super) kind: IssueType,
    pub(super) issue: u32,
    pub(super) title: &'a str,
}

/// Finds what the run holds already, or claims it, and makes what is missing.
pub(super) async fn lay(errand: &Errand<'_>, subject: &Subject<'_>) -> Result<Claim, Setback> {
    let git = workspace::git(errand).await?;
    if git.committer().await?.is_none() {
        return Err(Setback::blocked(
            "git does not know who commits; set `git config user.name` and `user.email`",
        ));
    }
    let common_dir = git.facts().await?.common_dir;
    let run = errand.call.run();
    let claim = match Claim::of(&common_dir, run) {
        Some(claim) => claim,
        None => stake(errand, subject, &git, &common_dir).await?,
    };
    let claim = with_port(errand, claim, &common_dir)?;
    errand.go_on()?;
    let _lock = CheckoutLock::take(&git, &errand.context.cancel).await?;
    if claim.in_place {
        switch_to(errand, &git, &claim, &common_dir).await?;
    } else {
        add_worktree(errand, &git, &claim).await?;
    }
    Ok(claim)
}

/// Chooses what the run is to hold, and writes it down.
async fn stake(
    errand: &Errand<'_>,
    subject: &Subject<'_>,
    git: &Git,
    common_dir: &Path,
) -> Result<Claim, Setback> {
    let base = base(errand).await?;
    let remote = workspace::remote_of(errand.place, git).await?;
    let begun = workspace::fetch_tip(errand.place, git, &remote, &base).await?;
    let _lock = CheckoutLock::take(git, &errand.context.cancel).await?;
    let claim = Claim {
        branch: free_branch(errand, git, common_dir, subject).await?,
        in_place: errand.place.settings.in_place,
        base,
        begun,
        port: None,
    };
    claim.store(common_dir, errand.call.run())?;
    Ok(claim)
}

/// Where ports are kept: for the whole machine where that is possible.
pub(crate) fn ports_folder(errand: &Errand<'_>, common_dir: &Path) -> std::path::PathBuf {
    match &errand.place.state_dir {
        Some(state) => state.join("ports"),
        None => common_dir.join("baton").join("ports"),
    }
}

fn with_port(errand: &Errand<'_>, claim: Claim, common_dir: &Path) -> Result<Claim, Setback> {
    let folder = ports_folder(errand, common_dir);
    let first = errand.place.settings.first_port;
    let run = errand.call.run();
    let port = Some(ports::take(&folder, first, run)?);
    if claim.port == port {
        return Ok(claim);
    }
    let claim = Claim { port, ..claim };
    claim.store(common_dir, run)?;
    Ok(claim)
}

/// The branch to merge into.
async fn base(errand: &Errand<'_>) -> Result<String, Setback> {
    if let Some(base) = &errand.goal().base {
        return Ok(base.clone());
    }
    let place = errand.place;
    let repository = place.github.repository(&place.repository).await?;
    Ok(repository.default_branch)
}

/// A name that neither the checkout nor the forge nor another run has.
async fn free_branch(
    errand: &Errand<'_>,
    git: &Git,
    common_dir: &Path,
    subject: &Subject<'_>,
) -> Result<String, Setback> {
    let place = errand.place;
    let claimed = Claim::of_others(common_dir, errand.call.run());
    for again in 1..=MOST_BRANCHES {
        let name = names::branch(subject.kind, subject.issue, subject.title, again);
        let is_claimed = claimed.iter().any(|(_, claim)| claim.branch == name);
        let folder = claim::worktrees_of(&place.checkout).join(name.replace('/', "-"));
        if is_claimed || folder.exists() || git.branch_exists(&name).await? {
            continue;
        }
        let there = place.github.branch_head(&place.repository, &name).await?;
        if there.is_none() {
            return Ok(name);
        }
    }
    Err(Setback::blocked(format!(
        "issue #{} has {MOST_BRANCHES} branches already; delete those that are not needed",
        subject.issue
    )))
}

async fn add_worktree(errand: &Errand<'_>, git: &Git, claim: &Claim) -> Result<(), Setback> {
    let path = claim.path(&errand.place.checkout);
    git.prune_worktrees().await?;
    let worktrees = git.worktrees().await?;
    let ours = worktrees.iter().find(|worktree| {
        matches!(&worktree.head, WorktreeHead::Branch { name, .. } if *name == claim.branch)
    });
    if let Some(ours) = ours {
        return finish_checkout(git, claim, &ours.path, &path).await;
    }
    errand
        .context
        .say(&format!("making a worktree at {}", path.display()));
    let checkout = if git.branch_exists(&claim.branch).await? {
        Checkout::Branch(&claim.branch)
    } else {
        Checkout::NewBranch {
            name: &claim.branch,
            start: claim.begun.as_str(),
        }
    };
    Ok(git.add_worktree(&path, checkout).await?)
}

/// A worktree that was there may not have been finished.
async fn finish_checkout(
    git: &Git,
    claim: &Claim,
    found: &Path,
    wanted: &Path,
) -> Result<(), Setback> {
    let real = |path: &Path| path.canonicalize().ok();
    if real(found) != real(wanted) {
        return Err(Setback::blocked(format!(
            "{} is checked out in {}; remove that worktree, or check out another branch there",
            claim.branch,
            found.display()
        )));
    }
    let here = git.at(wanted);
    // Nobody has worked on it: whatever differs was left by a process that died.
    if here.commit("HEAD").await? == claim.begun {
        here.put_back(&claim.begun).await?;
    }
    Ok(())
}

/// In the checkout itself; somebody's own changes there are not to be touched.
async fn switch_to(
    errand: &Errand<'_>,
    git: &Git,
    claim: &Claim,
    common_dir: &Path,
) -> Result<(), Setback> {
    if git.head().await?.branch() == Some(claim.branch.as_str()) {
        return Ok(());
    }
    let others = Claim::of_others(common_dir, errand.call.run());
    if let Some((run, _)) = others.iter().find(|(_, claim)| claim.in_place) {
        return Err(Setback::blocked(format!(
            "the run `{run}` works in {}; wait for its end, or cancel it",
            errand.place.checkout.display()
        )));
    }
    if !is_clean(git).await? {
        return Err(Setback::blocked(format!(
            "{} has changes that are not committed; commit or stash them, or work in a worktree",
            errand.place.checkout.display()
        )));
    }
    Ok(switch(git, claim).await?)
}

async fn switch(git: &Git, claim: &Claim) -> Result<(), GitError> {
    let call = Call::write(format!("check out {}", claim.branch)).args(["switch", "--quiet"]);
    let call = if git.branch_exists(&claim.branch).await? {
        call.arg(&claim.branch)
    } else {
        call.args([
            "--no-track",
            "--create",
            &claim.branch,
            claim.begun.as_str(),
        ])
    };
    git.call(call).await?.success().map(drop)
}

/// Nothing is there that a commit of everything would add.
pub(crate) async fn is_clean(git: &Git) -> Result<bool, GitError> {
    Ok(git.working_tree().await? == git.tree("HEAD").await?)
}
