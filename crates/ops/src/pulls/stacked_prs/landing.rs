//! Whether and how the lower pull request came into the branch that it went
//! to. Each answer names what proves it: the forge's merge commit, the patch
//! id of the whole, the content itself. What nothing proves stays unknown.

use std::collections::BTreeSet;

use baton_host::git::{ChangeKind, Git, GitError, LogEntry, LogRange, Oid};
use baton_protocol::short;
use baton_protocol::tools::manage_stacked_prs::{LandingProof, LandingWay};

/// Commits of the branch that are compared with the pull request: a squash
/// that is older than so many has been forgotten by those who work on top.
const MAX_COMPARED_COMMITS: usize = 200;
/// Commits of one pull request; GitHub lists no more than 250.
const MAX_OWN_COMMITS: usize = 250;

/// How it landed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Landing {
    pub(in super::super) way: LandingWay,
    /// The commit that brought it, where one did.
    pub(in super::super) commit: Option<Oid>,
    pub(in super::super) proof: LandingProof,
    /// For people.
    pub(in super::super) evidence: String,
    /// How many commits it had.
    pub(in super::super) commits: usize,
}

/// A pull request that the forge says is merged, as this commit.
pub(super) async fn by_merge_commit(
    git: &Git,
    head: &str,
    merge: &Oid,
) -> Result<Landing, GitError> {
    let named = format!("the forge names {} as its merge commit", merge.short());
    let landing = |way, proof, evidence, commits| Landing {
        way,
        commit: Some(merge.clone()),
        proof,
        evidence,
        commits,
    };
    let entry = git.log(whole(merge.as_str()), 1).await?.pop();
    let parents = entry.as_ref().map_or(&[][..], |entry| &entry.parents);
    let Some(before) = parents.first() else {
        let evidence = format!("{named}, which has no parent");
        return Ok(landing(
            LandingWay::Unknown,
            LandingProof::MergeCommit,
            evidence,
            0,
        ));
    };
    let own = own_commits(git, before.as_str(), head).await?;
    let count = own.len();
    if git.is_ancestor(head, merge.as_str()).await? {
        let evidence = format!("{named}, and it contains the head {}", short(head));
        return Ok(landing(
            LandingWay::Merge,
            LandingProof::MergeCommit,
            evidence,
            count,
        ));
    }
    if let Some(evidence) = is_rebase(git, &own, merge, entry.as_ref()).await? {
        let evidence = format!("{named}, and {evidence}");
        return Ok(landing(
            LandingWay::Rebase,
            LandingProof::PatchId,
            evidence,
            count,
        ));
    }
    if let Some(fork) = git.merge_base(before.as_str(), head).await? {
        let whole = git.patch_id_between(fork.as_str(), head).await?;
        if whole.is_some() && whole == git.patch_id_of_commit(merge.as_str()).await? {
            let evidence = format!(
                "{named}, which has one parent and makes the same change as the {} together",
                commits(count)
            );
            return Ok(landing(
                LandingWay::Squash,
                LandingProof::PatchId,
                evidence,
                count,
            ));
        }
        let merged = git.merge_tree(before.as_str(), head).await?;
        if merged.clean
            && entry
                .as_ref()
                .is_some_and(|entry| entry.tree == merged.tree)
        {
            let evidence = format!(
                "{named}, which has one parent and the content that a merge of the head {} gives there",
                short(head)
            );
            return Ok(landing(
                LandingWay::Squash,
                LandingProof::Content,
                evidence,
                count,
            ));
        }
    }
    let evidence = format!(
        "{named}, which has one parent and does not contain the head {}; its content differs from a plain squash",
        short(head)
    );
    Ok(landing(
        LandingWay::Squash,
        LandingProof::MergeCommit,
        evidence,
        count,
    ))
}

/// A pull request that the forge does not say is merged: looked for in the
/// branch that it went to.
pub(super) async fn by_content(
    git: &Git,
    head: &str,
    tip: &str,
) -> Result<Option<Landing>, GitError> {
    let Some(fork) = git.merge_base(tip, head).await? else {
        return Ok(None);
    };
    let own = own_commits(git, fork.as_str(), head).await?;
    let count = own.len();
    if fork.as_str() == head {
        return Ok(Some(Landing {
            way: LandingWay::Merge,
            commit: None,
            proof: LandingProof::MergeCommit,
            evidence: format!("the branch contains the head {}", short(head)),
            commits: count,
        }));
    }
    let since = git
        .log(range(fork.as_str(), tip), MAX_COMPARED_COMMITS + 1)
        .await?;
    let from = match since.get(MAX_COMPARED_COMMITS) {
        Some(earlier) => &earlier.commit,
        None => &fork,
    };
    let there = git.patch_ids(range(from.as_str(), tip)).await?;
    let whole = git.patch_id_between(fork.as_str(), head).await?;
    if let Some(squash) = there.iter().find(|one| Some(&one.patch) == whole.as_ref()) {
        return Ok(Some(Landing {
            way: LandingWay::Squash,
            evidence: format!(
                "{} makes the same change as the {} together",
                squash.commit.as_ref().map_or("", Oid::short),
                commits(count)
            ),
            commit: squash.commit.clone(),
            proof: LandingProof::PatchId,
            commits: count,
        }));
    }
    let ids: BTreeSet<_> = there.iter().map(|one| &one.patch).collect();
    let ours = git.patch_ids(range(fork.as_str(), head)).await?;
    if !ours.is_empty() && ours.iter().all(|one| ids.contains(&one.patch)) {
        let last = there.iter().find(|one| one.patch == ours[0].patch);
        return Ok(Some(Landing {
            way: LandingWay::Rebase,
            commit: last.and_then(|one| one.commit.clone()),
            proof: LandingProof::PatchId,
            evidence: format!(
                "each of the {} is there as one of the same patch id",
                commits(count)
            ),
            commits: count,
        }));
    }
    let same = has_content(git, fork.as_str(), head, tip).await?;
    Ok(same.then(|| Landing {
        way: LandingWay::Squash,
        commit: None,
        proof: LandingProof::Content,
        evidence: "every file that it changed is there as it left it".to_owned(),
        commits: count,
    }))
}

/// Whether every file that changed from `fork` to `head` is in `tip` as it is
/// in `head`.
async fn has_content(git: &Git, fork: &str, head: &str, tip: &str) -> Result<bool, GitError> {
    let changed = git.changed_files(fork, head).await?;
    // Files that differ now, by the names that they have at either end.
    let differing: BTreeSet<_> = git
        .changed_files(head, tip)
        .await?
        .into_iter()
        .flat_map(|file| match file.kind {
            ChangeKind::Renamed { from, .. } => vec![from, file.path],
            _ => vec![file.path],
        })
        .collect();
    Ok(!changed.is_empty() && changed.iter().all(|file| !differing.contains(&file.path)))
}

/// Says why, if the commits up to `last` are these recreated, one by one.
async fn is_rebase(
    git: &Git,
    own: &[LogEntry],
    last: &Oid,
    entry: Option<&LogEntry>,
) -> Result<Option<String>, GitError> {
    let made = git.log(whole(last.as_str()), own.len()).await?;
    // A squash of one commit is the same change: only its message tells.
    if let ([only], Some(entry)) = (own, entry)
        && only.message != entry.message
    {
        return Ok(None);
    }
    let mut pairs = own.iter().zip(&made).peekable();
    if pairs.peek().is_none() || own.len() != made.len() {
        return Ok(None);
    }
    for (old, new) in pairs {
        let same = match (old.subject() == new.subject(), new.parents.len()) {
            (true, 1) => {
                git.patch_id_of_commit(old.commit.as_str()).await?
                    == git.patch_id_of_commit(new.commit.as_str()).await?
            }
            _ => false,
        };
        if !same {
            return Ok(None);
        }
    }
    Ok(Some(format!(
        "the {} up to it have the patch ids of the pull request's",
        commits(own.len())
    )))
}

/// The newest first.
async fn own_commits(git: &Git, before: &str, head: &str) -> Result<Vec<LogEntry>, GitError> {
    git.log(range(before, head), MAX_OWN_COMMITS).await
}

pub(in super::super) fn range<'a>(from: &'a str, to: &'a str) -> LogRange<'a> {
    LogRange {
        from: Some(from),
        to,
    }
}

fn whole(to: &str) -> LogRange<'_> {
    LogRange { from: None, to }
}

pub(in super::super) fn commits(count: usize) -> String {
    match count {
        1 => "1 commit".to_owned(),
        count => format!("{count} commits"),
    }
}
