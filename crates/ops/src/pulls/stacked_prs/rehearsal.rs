//! The rebase, tried in the object store: no branch and no working tree
//! changes, and a conflict is a real one.

use std::path::PathBuf;

use baton_host::git::{Git, GitError, LogEntry, MergeTree, Oid, Replay, ReplayedCommit, Signature};

use super::fork_point::ForkPoint;
use super::landing::range;

/// More files in conflict are not listed.
pub(super) const MAX_FILES: usize = 50;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Rehearsal {
    Clean {
        /// Where the last commit would be.
        tip: Oid,
        commits: Vec<ReplayedCommit>,
    },
    Conflict {
        /// The commit that does not fit, and its subject.
        at: Oid,
        subject: String,
        files: Vec<String>,
    },
    /// A merge commit in between: what a rebase gives depends on how git
    /// flattens it. Files that conflict when all is merged at once.
    HasMerge { commit: Oid, files: Vec<String> },
    /// What is below it does not fit.
    NotReached,
}

impl Rehearsal {
    pub(in super::super) fn files(&self) -> &[String] {
        match self {
            Self::Clean { .. } | Self::NotReached => &[],
            Self::Conflict { files, .. } | Self::HasMerge { files, .. } => files,
        }
    }

    pub(in super::super) fn tip(&self) -> Option<&Oid> {
        match self {
            Self::Clean { tip, .. } => Some(tip),
            Self::Conflict { .. } | Self::HasMerge { .. } | Self::NotReached => None,
        }
    }
}

/// Plays the commits of one pull request onto `ground`.
pub(in super::super) async fn play(
    git: &Git,
    fork_point: &ForkPoint,
    head: &str,
    ground: &str,
    committer: &Signature,
) -> Result<Rehearsal, GitError> {
    let base = fork_point.commit.as_str();
    match fork_point.merges.first() {
        Some(merge) => whole(git, merge.clone(), base, head, ground).await,
        None => play_commits(git, &fork_point.own, base, head, ground, committer).await,
    }
}

async fn play_commits(
    git: &Git,
    own: &[LogEntry],
    fork_point: &str,
    head: &str,
    ground: &str,
    committer: &Signature,
) -> Result<Rehearsal, GitError> {
    Ok(match git.replay_commits(own, ground, committer).await? {
        Replay::Done { commits } => {
            let tip = commits.iter().rev().find_map(|commit| commit.to.clone());
            let tip = match tip {
                Some(tip) => tip,
                None => git.commit(ground).await?,
            };
            Rehearsal::Clean { tip, commits }
        }
        Replay::Conflict { at, merge, .. } => Rehearsal::Conflict {
            subject: at.subject().to_owned(),
            at: at.commit,
            files: files(&merge),
        },
        Replay::HasMerge { commit } => whole(git, commit, fork_point, head, ground).await?,
    })
}

async fn whole(
    git: &Git,
    commit: Oid,
    fork_point: &str,
    head: &str,
    ground: &str,
) -> Result<Rehearsal, GitError> {
    let merge = git.merge_tree_from(fork_point, ground, head).await?;
    Ok(Rehearsal::HasMerge {
        commit,
        files: files(&merge),
    })
}

/// What `git rebase` does without `--onto`: all that `ground` does not have,
/// but the commits whose change it has.
pub(super) async fn play_plain(
    git: &Git,
    head: &str,
    ground: &str,
    committer: &Signature,
) -> Result<Rehearsal, GitError> {
    let mut all = git.log(range(ground, head), MAX_COMMITS).await?;
    all.reverse();
    let there = git.patch_ids(range(head, ground)).await?;
    let ours = git.patch_ids(range(ground, head)).await?;
    let has = |commit: &Oid| {
        let id = ours.iter().find(|id| id.commit.as_ref() == Some(commit));
        id.is_some_and(|id| there.iter().any(|other| other.patch == id.patch))
    };
    all.retain(|entry| !has(&entry.commit));
    let fork_point = git.merge_base(ground, head).await?;
    let fork_point = fork_point.as_ref().map_or(ground, Oid::as_str);
    play_commits(git, &all, fork_point, head, ground, committer).await
}

const MAX_COMMITS: usize = 1000;

pub(in super::super) fn files(merge: &MergeTree) -> Vec<String> {
    let mut paths: Vec<&PathBuf> = merge
        .messages
        .iter()
        .filter(|message| message.kind.is_conflict())
        .flat_map(|message| &message.paths)
        .chain(merge.conflicts.iter().map(|file| &file.path))
        .collect();
    paths.sort_unstable();
    paths.dedup();
    let paths = paths.into_iter().take(MAX_FILES);
    paths.map(|path| path.display().to_string()).collect()
}
