//! Whether a pull request can be merged, and what its state is called.
//!
//! git is asked in the background: the first look says "unknown", a later one
//! knows. What is known holds for a pair of commits, so it is never stale.

use super::{forge_person, oid};
use crate::actions::prelude::*;
use crate::actions::rules::merges;
use crate::git::NewCommit;
use crate::store::check_state::StatusState;
use crate::store::pull_commits::{self, MergeTrial, TrialMerge};
use crate::store::{pulls, rollup, stacks};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mergeability {
    /// Unknown until git was asked.
    pub(crate) mergeable: Option<bool>,
    pub(crate) rebaseable: Option<bool>,
    pub(crate) state: MergeState,
    /// What `refs/pull/N/merge` names.
    pub(crate) trial_commit_sha: Option<String>,
}

/// `mergeable_state` of REST and `mergeStateStatus` of GraphQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MergeState {
    /// The head lacks commits that the base branch asks for.
    Behind,
    /// A rule is not kept.
    Blocked,
    Clean,
    /// There are conflicts.
    Dirty,
    Draft,
    Unknown,
    /// Something that is not required has failed or is under way.
    Unstable,
}

impl MergeState {
    /// REST's word; GraphQL's is the same in capitals.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Behind => "behind",
            Self::Blocked => "blocked",
            Self::Clean => "clean",
            Self::Dirty => "dirty",
            Self::Draft => "draft",
            Self::Unknown => "unknown",
            Self::Unstable => "unstable",
        }
    }
}

/// What is known now. Starts to find out what is not.
pub(crate) async fn mergeability(
    app: &App,
    repository: &Repository,
    pull: &Pull,
) -> Result<Mergeability> {
    let trial = app.rows(|conn| pull_commits::trial(conn, pull))?;
    let incomplete = trial
        .as_ref()
        .is_none_or(|trial| trial.rebaseable.is_none());
    if incomplete && pull.is_open() {
        start_trial(app, repository, pull);
    }
    let state = state(app, repository, pull, trial.as_ref()).await?;
    Ok(Mergeability {
        mergeable: trial.as_ref().map(MergeTrial::mergeable),
        rebaseable: trial.as_ref().and_then(|trial| trial.rebaseable),
        state,
        trial_commit_sha: trial.and_then(|trial| Some(trial.merged?.commit_sha)),
    })
}

/// Waits until it is known whether the branches merge.
pub(super) async fn tried(app: &App, repository: &Repository, pull: &Pull) -> Result<MergeTrial> {
    if let Some(known) = app.rows(|conn| pull_commits::trial(conn, pull))? {
        return Ok(known);
    }
    try_merge(app, repository, pull).await
}

/// Finds out in the background, unless someone already does.
pub(super) fn start_trial(app: &App, repository: &Repository, pull: &Pull) {
    if !app.begin_trial(pull.id()) {
        return;
    }
    let (app, repository, pull) = (app.clone(), repository.clone(), pull.clone());
    tokio::spawn(async move {
        if let Err(error) = find_out(&app, &repository, &pull).await {
            tracing::warn!(?error, pull = pull.number(), "the merge could not be tried");
        }
        app.end_trial(pull.id());
    });
}

async fn find_out(app: &App, repository: &Repository, pull: &Pull) -> Result<()> {
    let mut trial = tried(app, repository, pull).await?;
    if trial.rebaseable.is_some() {
        return Ok(());
    }
    let (base, head) = (oid(&pull.base_sha)?, oid(&pull.head_sha)?);
    let rebaseable = trial.mergeable() && app.git(repository).is_rebaseable(&base, &head).await?;
    trial.rebaseable = Some(rebaseable);
    keep(app, pull, trial).await
}

async fn try_merge(app: &App, repository: &Repository, pull: &Pull) -> Result<MergeTrial> {
    let git = app.git(repository);
    let (base, head) = (oid(&pull.base_sha)?, oid(&pull.head_sha)?);
    let merged = match git.merged_tree(&base, &head).await? {
        Some(tree) => {
            let person = forge_person(&app.now());
            let commit = git
                .write_commit(&NewCommit {
                    tree: &tree,
                    parents: &[base, head],
                    author: &person,
                    committer: &person,
                    message: &format!("Merge {} into {}", pull.head_sha, pull.base_sha),
                })
                .await?;
            git.point(&format!("refs/pull/{}/merge", pull.number()), &commit)
                .await?;
            Some(TrialMerge {
                tree_sha: tree.to_string(),
                commit_sha: commit.to_string(),
            })
        }
        None => None,
    };
    let trial = MergeTrial {
        // With conflicts there is nothing left to find out.
        rebaseable: merged.is_none().then_some(false),
        merged,
    };
    keep(app, pull, trial.clone()).await?;
    Ok(trial)
}

/// A branch may have moved meanwhile; then no one will ask for this result.
async fn keep(app: &App, pull: &Pull, trial: MergeTrial) -> Result<()> {
    let tried = pull.clone();
    app.write(move |tx| {
        let Some(now) = pulls::by_id(tx, tried.id())? else {
            return Ok(());
        };
        if now.base_sha == tried.base_sha && now.head_sha == tried.head_sha {
            pull_commits::set_trial(tx, &tried, &trial)?;
        }
        Ok(())
    })
    .await
}

async fn state(
    app: &App,
    repository: &Repository,
    pull: &Pull,
    trial: Option<&MergeTrial>,
) -> Result<MergeState> {
    let Some(trial) = trial.filter(|_| pull.merged.is_none()) else {
        return Ok(MergeState::Unknown);
    };
    if !trial.mergeable() {
        return Ok(MergeState::Dirty);
    }
    if pull.draft {
        return Ok(MergeState::Draft);
    }
    let counts = super::counts(app, repository, pull).await?;
    app.read(|conn| {
        let verdict = merges::judge(conn, repository, pull, &counts)?;
        if verdict.only_behind() {
            return Ok(MergeState::Behind);
        }
        if !verdict.violations.is_empty() || stacks::is_held_up(conn, pull.id())? {
            return Ok(MergeState::Blocked);
        }
        let rollup = rollup::for_commit(conn, repository.id, &pull.head_sha)?;
        Ok(match rollup.state() {
            None | Some(StatusState::Success) => MergeState::Clean,
            Some(_) => MergeState::Unstable,
        })
    })
}
