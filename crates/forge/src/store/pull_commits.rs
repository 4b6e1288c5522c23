//! What is derived from the two branches of a pull request. A row holds for one
//! pair of commits; for another pair it says nothing.

use crate::store::prelude::*;
use crate::store::pulls::Pull;

row! {
    /// From the merge base to the head.
    #[derive(PartialEq, Eq)]
    Counts {
        merge_base_sha: String,
        commits: u64,
        /// Commits of the base branch that the head does not have.
        behind: u64,
        additions: u64,
        deletions: u64,
        changed_files: u64,
    }
}

/// What merging would give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MergeTrial {
    /// Absent when there are conflicts.
    pub(crate) merged: Option<TrialMerge>,
    /// Unknown until it was tried.
    pub(crate) rebaseable: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrialMerge {
    pub(crate) tree_sha: String,
    /// What `refs/pull/N/merge` names.
    pub(crate) commit_sha: String,
}

impl MergeTrial {
    pub(crate) fn mergeable(&self) -> bool {
        self.merged.is_some()
    }
}

sql! {
    find counts(pull: &Pull) -> Counts:
        "SELECT * FROM pull_counts WHERE pull_id = ? AND base_sha = ? AND head_sha = ?",
        [pull.id(), pull.base_sha, pull.head_sha];
}

sql! {
    run set_counts(pull: &Pull, counts: &Counts):
        "INSERT
         OR REPLACE INTO pull_counts (pull_id, base_sha, head_sha, merge_base_sha, commits,
         behind, additions, deletions, changed_files) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [pull.id(), pull.base_sha, pull.head_sha, counts.merge_base_sha, counts.commits,
         counts.behind, counts.additions, counts.deletions, counts.changed_files];
}

pub(crate) fn trial(conn: &Connection, pull: &Pull) -> Found<MergeTrial> {
    conn.find_with(
        "SELECT * FROM merge_trials WHERE pull_id = ? AND base_sha = ? AND head_sha = ?",
        params![pull.id(), pull.base_sha, pull.head_sha],
        |row| {
            let tree: Option<String> = row.get("tree_sha")?;
            let commit: Option<String> = row.get("commit_sha")?;
            Ok(MergeTrial {
                merged: tree.zip(commit).map(|(tree_sha, commit_sha)| TrialMerge {
                    tree_sha,
                    commit_sha,
                }),
                rebaseable: row.get("rebaseable")?,
            })
        },
    )
}

pub(crate) fn set_trial(
    tx: &Transaction<'_>,
    pull: &Pull,
    trial: &MergeTrial,
) -> rusqlite::Result<()> {
    let merged = trial.merged.as_ref();
    tx.run(
        "INSERT OR REPLACE INTO merge_trials
             (pull_id, base_sha, head_sha, tree_sha, commit_sha, rebaseable)
             VALUES (?, ?, ?, ?, ?, ?)",
        params![
            pull.id(),
            pull.base_sha,
            pull.head_sha,
            merged.map(|merged| &merged.tree_sha),
            merged.map(|merged| &merged.commit_sha),
            trial.rebaseable,
        ],
    )
}
