//! The branch and the folder that it is checked out in.

use std::path::Path;

use baton_host::git::{Call, Git, GitError};
use baton_protocol::handoff::IssueType;

use super::adopted::Adopted;
use super::names;
use crate::AgentStep;
use crate::claim::{self, Claim};
use crate::ports;
use crate::repository;
use crate::step_error::StepError;
use crate::workspace::{self, CheckoutLock};

/// Other runs on the same issue, or leftovers, have these.
const MAX_BRANCHES: u32 = 50;

/// What is to be worked on.
pub(super) enum Subject<'a> {
    New {
        kind: IssueType,
        issue: u32,
        title: &'a str,
    },
    Adopted(Adopted),
}

/// Finds what the run holds already, or claims it, and makes what is missing.
pub(super) async fn ensure(
    step: &AgentStep<'_>,
    subject: &Subject<'_>,
) -> Result<(Claim, Git), StepError> {
    let git = workspace::git(step).await?;
    if git.committer().await?.is_none() {
        return Err(StepError::blocked(
            "git does not know who commits; set `git config user.name` and `user.email`",
        ));
    }
    let claims = claim::claims_of(&step.place.checkout);
    let run = step.call.run();
    let claim = match (Claim::load(&claims, run), subject) {
        (Some(claim), _) => claim,
        (None, Subject::Adopted(pull)) => adopt(step, pull, &git, &claims).await?,
        (None, Subject::New { kind, issue, title }) => {
            let name = |again| names::branch(*kind, *issue, title, again);
            claim_worktree(step, *issue, &name, &git, &claims).await?
        }
    };
    let claim = with_port(step, claim, &claims)?;
    step.go_on()?;
    let _lock = CheckoutLock::take(step).await?;
    let git = if claim.in_place {
        switch_to(step, &git, &claim, &claims).await?;
        git
    } else {
        repository::ensure(step, &git, &claim).await?
    };
    Ok((claim, git))
}

/// Chooses what the run is to hold, and writes it down.
async fn claim_worktree(
    step: &AgentStep<'_>,
    issue: u32,
    name: &(dyn Fn(u32) -> String + Sync),
    git: &Git,
    claims: &Path,
) -> Result<Claim, StepError> {
    let base = base(step).await?;
    let remote = workspace::remote_of(step.place, git).await?;
    let begun = workspace::fetch_tip(step.place, git, &remote, &base).await?;
    let _lock = CheckoutLock::take(step).await?;
    let claim = Claim {
        branch: free_branch(step, git, claims, issue, name).await?,
        in_place: step.place.settings.in_place,
        base,
        begun,
        adopted: false,
        port: None,
    };
    claim.store(claims, step.call.run())?;
    Ok(claim)
}

/// Holds the branch of a pull request. The user's own branch of that name stays as it is.
async fn adopt(
    step: &AgentStep<'_>,
    pull: &Adopted,
    git: &Git,
    claims: &Path,
) -> Result<Claim, StepError> {
    if git.find_commit(pull.head.as_str()).await?.is_none() {
        let remote = workspace::remote_of(step.place, git).await?;
        git.fetch_objects(&remote, &[&format!("refs/pull/{}/head", pull.number)])
            .await?;
    }
    let claim = Claim {
        branch: pull.branch.clone(),
        // The user may be at work on it in the checkout.
        in_place: false,
        base: pull.base.clone(),
        begun: git.commit(pull.head.as_str()).await?,
        adopted: true,
        port: None,
    };
    let _lock = CheckoutLock::take(step).await?;
    let checkout = &step.place.checkout;
    let path = claim.path(checkout);
    let others = Claim::load_others(claims, step.call.run());
    let holder = others
        .iter()
        .find(|(_, other)| other.path(checkout) == path);
    if let Some((run, _)) = holder {
        return Err(StepError::blocked(format!(
            "the run `{run}` works on {}; wait for its end, or cancel it",
            claim.branch
        )));
    }
    if path.exists() {
        return Err(StepError::blocked(format!(
            "{} is in the way; move it somewhere else",
            path.display()
        )));
    }
    claim.store(claims, step.call.run())?;
    Ok(claim)
}

/// Where ports are kept: for the whole machine where that is possible.
pub(crate) fn ports_folder(step: &AgentStep<'_>, claims: &Path) -> std::path::PathBuf {
    match &step.place.state_dir {
        Some(state) => state.join("ports"),
        None => claims.join("ports"),
    }
}

fn with_port(step: &AgentStep<'_>, claim: Claim, claims: &Path) -> Result<Claim, StepError> {
    let folder = ports_folder(step, claims);
    let first = step.place.settings.first_port;
    let run = step.call.run();
    let port = Some(ports::take(&folder, first, run)?);
    if claim.port == port {
        return Ok(claim);
    }
    let claim = Claim { port, ..claim };
    claim.store(claims, run)?;
    Ok(claim)
}

/// The branch to merge into.
async fn base(step: &AgentStep<'_>) -> Result<String, StepError> {
    if let Some(base) = &step.goal().base {
        return Ok(base.clone());
    }
    let place = step.place;
    let repository = place.github.repository(&place.repository).await?;
    Ok(repository.default_branch)
}

/// A name that neither the checkout nor the forge nor another run has.
async fn free_branch(
    step: &AgentStep<'_>,
    git: &Git,
    claims: &Path,
    issue: u32,
    name: &(dyn Fn(u32) -> String + Sync),
) -> Result<String, StepError> {
    let place = step.place;
    let claimed = Claim::load_others(claims, step.call.run());
    for again in 1..=MAX_BRANCHES {
        let name = name(again);
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
    Err(StepError::blocked(format!(
        "issue #{issue} has {MAX_BRANCHES} branches already; delete those that are not needed"
    )))
}

/// In the checkout itself; someone's own changes there are not to be touched.
async fn switch_to(
    step: &AgentStep<'_>,
    git: &Git,
    claim: &Claim,
    claims: &Path,
) -> Result<(), StepError> {
    if git.head().await?.branch() == Some(claim.branch.as_str()) {
        return Ok(());
    }
    let others = Claim::load_others(claims, step.call.run());
    if let Some((run, _)) = others.iter().find(|(_, claim)| claim.in_place) {
        return Err(StepError::blocked(format!(
            "the run `{run}` works in {}; wait for its end, or cancel it",
            step.place.checkout.display()
        )));
    }
    if !is_clean(git).await? {
        return Err(StepError::blocked(format!(
            "{} has changes that are not committed; commit or stash them, or work in a worktree",
            step.place.checkout.display()
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
