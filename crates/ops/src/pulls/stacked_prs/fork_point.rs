//! Where the work of the lower pull request ends and that of the upper one
//! begins.
//!
//! The best common ancestor is no answer to this: after a squash or a push by
//! force it lies below the lower one's commits, and a rebase from there would
//! bring them along. What the lower one's branch had before says it by the ids
//! of commits; patch ids, authors and dates say it of copies.

use std::collections::{BTreeMap, BTreeSet};

use baton_host::git::{Git, GitError, LogEntry, Oid, PatchId};
use jiff::Timestamp;

use super::certainty::Judged;
use super::history::History;
use super::landing::{commits, range};
use super::merged_branch;
use super::sameness::{self, Sameness};

/// One person writes no more for one review.
const MAX_COMMITS: usize = 1000;
/// More commits that are left out are not listed.
const MAX_SHOWN: usize = 20;

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
    /// The upper one's own commits, the oldest first; without merges.
    pub(in super::super) own: Vec<LogEntry>,
    /// Merges between them, the newest first.
    pub(in super::super) merges: Vec<Oid>,
    /// The two that `commit` was made of, where no branch has it.
    pub(in super::super) joined: Option<(Oid, Oid)>,
    /// Patches that the lower one had once and has no longer: none of them may come back.
    pub(in super::super) dropped: BTreeSet<Oid>,
    /// Commits that the upper one has, and that the lower one had once and has no longer.
    pub(in super::super) left_out: Vec<LogEntry>,
}

/// The ends of two pull requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends<'a> {
    pub(super) lower: &'a str,
    pub(super) upper: &'a str,
    /// What both were made on: its commits are neither's.
    pub(super) floor: &'a str,
    /// Where the lower one was before.
    pub(super) history: &'a History,
    /// When the upper one was opened, where that is known.
    pub(super) opened_at: Option<Timestamp>,
}

/// The lower one's commits, of now and of before.
pub(super) struct Below {
    pub(super) now: Vec<LogEntry>,
    now_ids: BTreeSet<Oid>,
    now_patches: BTreeSet<Oid>,
    /// Without those of now.
    pub(super) before: Vec<LogEntry>,
    pub(super) before_ids: BTreeSet<Oid>,
    before_patches: BTreeSet<Oid>,
    /// What the base branch had once and has no longer.
    pub(super) of_base: BTreeSet<Oid>,
}

impl Below {
    async fn read(git: &Git, ends: &Ends<'_>) -> Result<Self, GitError> {
        let now = git.log(range(ends.floor, ends.lower), MAX_COMMITS).await?;
        let now_ids = ids(&now);
        let now_patches = patches(git.patch_ids(range(ends.floor, ends.lower)).await?);
        let (mut before, mut before_patches) = (Vec::new(), BTreeSet::new());
        if let Some(union) = ends.history.union(git).await? {
            before = git
                .log(range(ends.floor, union.as_str()), MAX_COMMITS)
                .await?;
            before.retain(|entry| entry.commit != union || is_head(ends.history, &entry.commit));
            before.retain(|entry| !now_ids.contains(&entry.commit));
            if !before.is_empty() {
                let ids = git.patch_ids(range(ends.floor, union.as_str())).await?;
                before_patches = patches(ids);
                before_patches.retain(|patch| !now_patches.contains(patch));
            }
        }
        let of_base = match ends.history.union_of_bases(git).await? {
            Some(union) => ids(&git
                .log(range(ends.floor, union.as_str()), MAX_COMMITS)
                .await?),
            None => BTreeSet::new(),
        };
        Ok(Self {
            before_ids: ids(&before),
            now,
            now_ids,
            now_patches,
            before,
            before_patches,
            of_base,
        })
    }

    pub(super) fn has(&self, commit: &Oid) -> bool {
        self.now_ids.contains(commit) || self.before_ids.contains(commit)
    }

    pub(super) fn now_has(&self, commit: &Oid) -> bool {
        self.now_ids.contains(commit)
    }

    pub(super) fn into_dropped(self) -> BTreeSet<Oid> {
        self.before_patches
    }

    fn sameness(&self, commit: &LogEntry, patch: Option<&Oid>) -> Option<Sameness> {
        let is_in = |patches: &BTreeSet<Oid>| patch.is_some_and(|patch| patches.contains(patch));
        if self.now_ids.contains(&commit.commit) {
            Some(Sameness::Id)
        } else if is_in(&self.now_patches) {
            Some(Sameness::Patch)
        } else if sameness::has_signature(commit, &self.now) {
            Some(Sameness::Signature)
        } else if self.before_ids.contains(&commit.commit) {
            Some(Sameness::FormerId)
        } else if is_in(&self.before_patches) || sameness::has_signature(commit, &self.before) {
            Some(Sameness::FormerPatch)
        } else {
            None
        }
    }
}

/// `None` where the two have nothing in common.
pub(super) async fn find(git: &Git, ends: Ends<'_>) -> Result<Option<ForkPoint>, GitError> {
    let below = Below::read(git, &ends).await?;
    let all = git.log(range(ends.floor, ends.upper), MAX_COMMITS).await?;
    let branch = Branch::walk(&all, ends.upper, &below);
    if !branch.merges.is_empty() {
        return merged_branch::find(git, ends, &all, below).await;
    }
    let start = match branch.start.clone() {
        Some(start) => start,
        None => match git.merge_base(ends.floor, ends.upper).await? {
            Some(start) => start,
            None => return Ok(None),
        },
    };
    let ids = git.patch_ids(range(ends.floor, ends.upper)).await?;
    let same_by_id = all
        .iter()
        .filter(|entry| !branch.has(&entry.commit))
        .filter_map(|entry| below.sameness(entry, patch_of(&ids, &entry.commit)));
    let mut same: Vec<Sameness> = same_by_id.collect();
    let copies: Vec<Option<Sameness>> = branch
        .tail
        .iter()
        .map(|entry| below.sameness(entry, patch_of(&ids, &entry.commit)))
        .collect();
    let run = copies.iter().take_while(|one| one.is_some()).count();
    let is_mixed = copies[run..].iter().any(Option::is_some);
    same.extend(copies[..run].iter().flatten());
    let commit = match run.checked_sub(1) {
        Some(last) => branch.tail[last].commit.clone(),
        None => start,
    };
    let own = branch.tail[run..].to_vec();
    let left_out = left_out(&all, &branch.tail[run..], &below, &ids);
    let judged = Judged {
        git,
        ends: &ends,
        below: &below,
        commit: &commit,
        own: &own,
        same: &same,
        left_out: &left_out,
        is_mixed,
    };
    let (evidence, doubt) = (judged.evidence().await?, judged.doubt().await?);
    let found = ForkPoint {
        kept: git.is_ancestor(commit.as_str(), ends.lower).await?,
        certain: doubt.is_none(),
        evidence: match doubt {
            Some(doubt) => format!("{evidence}; {doubt}"),
            None => evidence,
        },
        below: same.len(),
        own,
        left_out,
        merges: Vec::new(),
        joined: None,
        dropped: below.before_patches,
        commit,
    };
    Ok(Some(found))
}

/// The commits of the upper branch that are neither the floor's nor, by their ids, the lower one's.
#[derive(Default)]
struct Branch {
    /// The oldest first.
    tail: Vec<LogEntry>,
    /// What the first of them stands on, where that is the lower one's.
    start: Option<Oid>,
    merges: Vec<Oid>,
}

impl Branch {
    fn walk(all: &[LogEntry], upper: &str, below: &Below) -> Self {
        let entries: BTreeMap<&str, &LogEntry> = all
            .iter()
            .map(|entry| (entry.commit.as_str(), entry))
            .collect();
        let mut branch = Self::default();
        let mut current = entries.get(upper).copied();
        while let Some(entry) = current {
            if below.has(&entry.commit) {
                branch.start = Some(entry.commit.clone());
                break;
            }
            if entry.parents.len() > 1 {
                branch.merges.push(entry.commit.clone());
            }
            branch.tail.push(entry.clone());
            let parent = entry.parents.first();
            branch.start = parent.cloned();
            current = parent.and_then(|parent| entries.get(parent.as_str()).copied());
        }
        branch.tail.reverse();
        branch
    }

    fn has(&self, commit: &Oid) -> bool {
        self.tail.iter().any(|entry| entry.commit == *commit)
    }
}

/// What the upper one has of what the lower one had once and has no longer.
fn left_out(all: &[LogEntry], own: &[LogEntry], below: &Below, ids: &[PatchId]) -> Vec<LogEntry> {
    let is_own = |entry: &&LogEntry| own.iter().any(|one| one.commit == entry.commit);
    let mut list: Vec<LogEntry> = all
        .iter()
        .filter(|entry| !is_own(entry))
        .filter(|entry| {
            let same = below.sameness(entry, patch_of(ids, &entry.commit));
            same.is_some_and(Sameness::is_former)
        })
        .cloned()
        .collect();
    list.reverse();
    list
}

pub(super) fn is_head(history: &History, commit: &Oid) -> bool {
    history.heads.iter().any(|head| head.commit == *commit)
}

fn ids(entries: &[LogEntry]) -> BTreeSet<Oid> {
    entries.iter().map(|entry| entry.commit.clone()).collect()
}

fn patches(ids: Vec<PatchId>) -> BTreeSet<Oid> {
    ids.into_iter().map(|id| id.patch).collect()
}

fn patch_of<'a>(ids: &'a [PatchId], commit: &Oid) -> Option<&'a Oid> {
    let found = ids.iter().find(|id| id.commit.as_ref() == Some(commit));
    found.map(|id| &id.patch)
}

impl ForkPoint {
    /// `3 commits after 0123456`.
    pub(super) fn shown(&self) -> String {
        format!("{} after {}", commits(self.own.len()), self.commit.short())
    }

    /// `0123456 Add a file` of each commit that is left out.
    pub(in super::super) fn left_out_shown(&self) -> Vec<String> {
        let shown = |entry: &LogEntry| {
            let subject = super::strategy::first_words(entry.subject());
            format!("{} {subject}", entry.commit.short())
        };
        self.left_out.iter().take(MAX_SHOWN).map(shown).collect()
    }

    /// The commits above the cut that a person named.
    pub(super) async fn at(
        git: &Git,
        ends: &Ends<'_>,
        cut: &Oid,
        found: Option<&Self>,
    ) -> Result<Self, GitError> {
        let mut all = git
            .log(range(cut.as_str(), ends.upper), MAX_COMMITS)
            .await?;
        all.reverse();
        let (own, merges): (Vec<LogEntry>, Vec<LogEntry>) =
            all.into_iter().partition(|entry| entry.parents.len() == 1);
        let below = git
            .log(range(ends.floor, cut.as_str()), MAX_COMMITS)
            .await?;
        Ok(Self {
            kept: git.is_ancestor(cut.as_str(), ends.lower).await?,
            certain: true,
            evidence: "as asked for".to_owned(),
            below: below.len(),
            commit: cut.clone(),
            own,
            merges: merges.into_iter().rev().map(|entry| entry.commit).collect(),
            joined: None,
            dropped: BTreeSet::new(),
            left_out: found
                .map(|found| found.left_out.clone())
                .unwrap_or_default(),
        })
    }
}
