//! Where the work of the lower pull request ends and that of the upper one
//! begins.
//!
//! The best common ancestor is no answer to this: after a squash or a push by
//! force it lies below the lower one's commits, and a rebase from there would
//! bring them along.

use std::collections::BTreeSet;

use baton_host::git::{Git, GitError, LogEntry, Oid, PatchId};

use super::landing::{commits, range};

/// One person writes no more for one review.
const MAX_COMMITS: usize = 1000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct ForkPoint {
    /// The last commit that is not the upper one's own.
    pub(in super::super) commit: Oid,
    pub(in super::super) evidence: String,
    /// Nothing speaks against it.
    pub(in super::super) certain: bool,
    /// The lower one still has this commit: nothing was rewritten.
    pub(in super::super) kept: bool,
    /// How many of the lower one's commits the upper one has below its own.
    pub(in super::super) below: usize,
    /// The upper one's own commits, the oldest first.
    pub(in super::super) own: Vec<LogEntry>,
}

/// The ends of two pull requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends<'a> {
    pub(super) lower: &'a str,
    pub(super) upper: &'a str,
    /// What both were made on: its commits are neither's.
    pub(super) floor: &'a str,
}

/// `None` where the two have nothing in common.
pub(super) async fn find(git: &Git, ends: Ends<'_>) -> Result<Option<ForkPoint>, GitError> {
    let mut theirs = git.log(range(ends.floor, ends.lower), MAX_COMMITS).await?;
    theirs.reverse();
    if git.is_ancestor(ends.lower, ends.upper).await? {
        let lower = git.commit(ends.lower).await?;
        let evidence = format!("it contains the head {} below", lower.short());
        return fork_point(git, ends, lower, evidence, true, theirs.len())
            .await
            .map(Some);
    }
    let mut ours = git.log(range(ends.floor, ends.upper), MAX_COMMITS).await?;
    ours.reverse();
    let patches =
        |ids: Vec<PatchId>| -> BTreeSet<Oid> { ids.into_iter().map(|id| id.patch).collect() };
    let known = patches(git.patch_ids(range(ends.floor, ends.lower)).await?);
    let our_ids = git.patch_ids(range(ends.floor, ends.upper)).await?;
    let same: Vec<Option<Sameness>> = ours
        .iter()
        .map(|commit| {
            let id = our_ids
                .iter()
                .find(|id| id.commit.as_ref() == Some(&commit.commit));
            sameness(
                commit,
                &theirs,
                id.is_some_and(|id| known.contains(&id.patch)),
            )
        })
        .collect();
    let run = same.iter().take_while(|one| one.is_some()).count();
    let is_mixed = same[run..].iter().any(Option::is_some);
    let Some(last) = run.checked_sub(1) else {
        let Some(fork) = git.merge_base(ends.floor, ends.upper).await? else {
            return Ok(None);
        };
        let evidence = if is_mixed {
            "commits of the one below stand between its own".to_owned()
        } else {
            format!("none of the {} below is in it", commits(theirs.len()))
        };
        return fork_point(git, ends, fork, evidence, !is_mixed, 0)
            .await
            .map(Some);
    };
    let mut evidence = told(&same[..run]);
    if is_mixed {
        evidence += "; more of them stand between its own";
    }
    let commit = ours[last].commit.clone();
    fork_point(git, ends, commit, evidence, !is_mixed, run)
        .await
        .map(Some)
}

async fn fork_point(
    git: &Git,
    ends: Ends<'_>,
    commit: Oid,
    evidence: String,
    certain: bool,
    below: usize,
) -> Result<ForkPoint, GitError> {
    let mut own = git
        .log(range(commit.as_str(), ends.upper), MAX_COMMITS)
        .await?;
    own.reverse();
    // What came in by a merge of the floor is not its own.
    if own.iter().any(|commit| commit.parents.len() > 1) {
        let mut kept = Vec::new();
        for entry in own {
            if !git.is_ancestor(entry.commit.as_str(), ends.floor).await? {
                kept.push(entry);
            }
        }
        own = kept;
    }
    let kept = git.is_ancestor(commit.as_str(), ends.lower).await?;
    Ok(ForkPoint {
        commit,
        evidence,
        certain,
        kept,
        below,
        own,
    })
}

/// Why a commit is one of the lower pull request's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sameness {
    Id,
    Patch,
    /// An amended or rebased commit keeps author, date and subject.
    Signature,
}

fn sameness(commit: &LogEntry, theirs: &[LogEntry], has_patch: bool) -> Option<Sameness> {
    if theirs.iter().any(|other| other.commit == commit.commit) {
        return Some(Sameness::Id);
    }
    if has_patch {
        return Some(Sameness::Patch);
    }
    theirs
        .iter()
        .any(|other| other.author == commit.author && other.subject() == commit.subject())
        .then_some(Sameness::Signature)
}

fn told(run: &[Option<Sameness>]) -> String {
    let count = |kind| run.iter().filter(|one| **one == Some(kind)).count();
    let parts: Vec<String> = [
        (Sameness::Id, "by id"),
        (Sameness::Patch, "by patch id"),
        (Sameness::Signature, "by author, date and subject"),
    ]
    .into_iter()
    .filter_map(|(kind, words)| match count(kind) {
        0 => None,
        count => Some(format!("{count} {words}")),
    })
    .collect();
    format!(
        "it begins with {} of the one below ({})",
        commits(run.len()),
        parts.join(", ")
    )
}

impl ForkPoint {
    /// `3 commits from 0123456789 on`.
    pub(super) fn shown(&self) -> String {
        format!("{} after {}", commits(self.own.len()), self.commit.short())
    }
}
