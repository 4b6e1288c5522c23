//! What has to hold before a branch is moved: its own patches are what they
//! were, and nothing that was deleted has come back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use baton_host::git::{
    ChangeKind, CommitPair, DiffLine, DiffLineKind, Git, GitError, PairStatus, PatchId,
    ReplayedCommit,
};

use super::landing::range;
use super::survey::Move;

/// Why a pull request must not be moved; nothing when it may.
pub(in super::super) async fn objections(
    git: &Git,
    one: &Move,
    ground: &str,
    tip: &str,
    commits: &[ReplayedCommit],
) -> Result<Vec<String>, GitError> {
    let (fork_point, head) = (one.fork_point.commit.as_str(), one.member.head.as_str());
    if one.by_merge {
        return objections_to_merge(git, fork_point, head, ground, tip).await;
    }
    let mut objections = come_back(git, one, ground, tip).await?;
    let pairs = git.range_diff((fork_point, head), (ground, tip)).await?;
    let there = git.patch_ids(range(head, ground)).await?;
    for pair in &pairs {
        if let Some(objection) = against(git, pair, commits, &there).await? {
            objections.push(objection);
        }
    }
    let returned = returned(git, fork_point, head, ground, tip).await?;
    objections.extend(
        returned
            .iter()
            .map(|path| format!("{}, which was deleted, would come back", path.display())),
    );
    Ok(objections)
}

/// A merge leaves the commits alone: what the branch changes has to be the same.
async fn objections_to_merge(
    git: &Git,
    below: &str,
    head: &str,
    ground: &str,
    tip: &str,
) -> Result<Vec<String>, GitError> {
    let mut objections = Vec::new();
    let (before, after) = (
        lines_between(git, below, head).await?,
        lines_between(git, ground, tip).await?,
    );
    for file in &before {
        if !after.contains(file) {
            objections.push(format!(
                "the change of {} would be another one",
                file.path.display()
            ));
        }
    }
    for file in &after {
        if !before.iter().any(|known| known.path == file.path) {
            objections.push(format!("{} would be changed as well", file.path.display()));
        }
    }
    Ok(objections)
}

/// Changes among the new commits that the branch below had once and has no longer.
async fn come_back(
    git: &Git,
    one: &Move,
    ground: &str,
    tip: &str,
) -> Result<Vec<String>, GitError> {
    let dropped = &one.fork_point.dropped;
    if dropped.is_empty() {
        return Ok(Vec::new());
    }
    let made = git.patch_ids(range(ground, tip)).await?;
    let back = made.iter().filter(|id| dropped.contains(&id.patch));
    Ok(back
        .filter_map(|id| id.commit.as_ref())
        .map(|commit| {
            let short = commit.short();
            format!("{short} would bring back a change that the branch below no longer has")
        })
        .collect())
}

async fn against(
    git: &Git,
    pair: &CommitPair,
    commits: &[ReplayedCommit],
    there: &[PatchId],
) -> Result<Option<String>, GitError> {
    let subject = &pair.subject;
    match (pair.status, &pair.old, &pair.new) {
        (PairStatus::Same, _, _) | (_, None, None) => Ok(None),
        (PairStatus::Changed, Some((_, old)), Some((_, new))) => {
            // Only what is around a change may differ: that is the ground's.
            let same = lines(git, old.as_str()).await? == lines(git, new.as_str()).await?;
            Ok((!same).then(|| format!("{} ({subject}) would change", old.short())))
        }
        (_, Some((_, old)), _) => {
            let left_over = commits
                .iter()
                .any(|one| one.from == *old && one.to.is_none());
            let patch = git.patch_id_of_commit(old.as_str()).await?;
            let is_there = there.iter().any(|id| Some(&id.patch) == patch.as_ref());
            let lost = !(left_over && is_there);
            Ok(lost.then(|| format!("{} ({subject}) would be lost", old.short())))
        }
        (_, None, Some((_, new))) => {
            Ok(Some(format!("{} ({subject}) would be added", new.short())))
        }
    }
}

/// What a commit adds and removes, file by file, without what is around it.
async fn lines(git: &Git, commit: &str) -> Result<Vec<FileLines>, GitError> {
    lines_between(git, &format!("{commit}^"), commit).await
}

async fn lines_between(git: &Git, from: &str, to: &str) -> Result<Vec<FileLines>, GitError> {
    let files = git.diff(from, to, 0).await?;
    Ok(files
        .into_iter()
        .map(|file| FileLines {
            kind: file.kind,
            path: file.path,
            mode: file.new_mode,
            // Binary content has no lines; its id says all.
            content: file.is_binary.then(|| file.new.to_string()),
            lines: file
                .hunks
                .into_iter()
                .flat_map(|hunk| hunk.lines)
                .filter(|line| line.kind != DiffLineKind::Context)
                .collect(),
        })
        .collect())
}

#[derive(PartialEq, Eq)]
struct FileLines {
    kind: ChangeKind,
    path: PathBuf,
    mode: String,
    content: Option<String>,
    lines: Vec<DiffLine>,
}

/// Files that either side deleted and that are there in the end.
async fn returned(
    git: &Git,
    fork_point: &str,
    head: &str,
    ground: &str,
    tip: &str,
) -> Result<Vec<PathBuf>, GitError> {
    let below = deleted(git, fork_point, ground).await?;
    let own = deleted(git, fork_point, head).await?;
    if below.is_empty() && own.is_empty() {
        return Ok(Vec::new());
    }
    let here: BTreeSet<PathBuf> = git.files_at(tip).await?.into_iter().collect();
    let was_in_head: BTreeSet<PathBuf> = git.files_at(head).await?.into_iter().collect();
    let was_in_ground: BTreeSet<PathBuf> = git.files_at(ground).await?.into_iter().collect();
    let at_fork_point: BTreeSet<PathBuf> = git.files_at(fork_point).await?.into_iter().collect();
    // A file of that name that was made again is wanted.
    let made_by_own = |path: &Path| was_in_head.contains(path) && !at_fork_point.contains(path);
    let made_below = |path: &Path| was_in_ground.contains(path) && !at_fork_point.contains(path);
    let mut returned: Vec<PathBuf> = below
        .into_iter()
        .filter(|path| here.contains(path) && !made_by_own(path))
        .chain(
            own.into_iter()
                .filter(|path| here.contains(path) && !made_below(path)),
        )
        .collect();
    returned.sort_unstable();
    returned.dedup();
    Ok(returned)
}

async fn deleted(git: &Git, from: &str, to: &str) -> Result<Vec<PathBuf>, GitError> {
    let changed = git.changed_files(from, to).await?;
    Ok(changed
        .into_iter()
        .filter_map(|file| match file.kind {
            ChangeKind::Deleted => Some(file.path),
            ChangeKind::Renamed { from, .. } => Some(from),
            _ => None,
        })
        .collect())
}
