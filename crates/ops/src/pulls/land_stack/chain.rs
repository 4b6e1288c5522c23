//! Which pull requests are merged before one, and what the lowest of them stands on.

use baton_protocol::{PrReference, Repository};
use baton_remote::github::questions::open_pulls::{OpenPull, OpenPulls};
use baton_remote::github::resources::pulls::{PullFilter, PullRequest};

use crate::error::OpError;
use crate::pulls::context::PullContext;
use crate::pulls::objects::NeededCommit;
use crate::pulls::stacked_prs::range;

/// A stack that is higher is a mistake in the branches.
const MAX_HEIGHT: usize = 30;
/// Commits of the lowest pull request that are looked at.
const MAX_COMMITS: usize = 1000;

/// Open pull requests, each on top of the one before it.
pub(super) struct Chain {
    /// The last one is the one that was named.
    pub(super) open: Vec<OpenPull>,
    pub(super) below: Below,
}

/// What the lowest one stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Below {
    /// A branch, and nothing that was merged into it otherwise.
    Branch,
    /// It has the commits of a pull request that was merged into the same branch, by squash or rebase.
    Merged(u32),
    /// It goes to the branch of a pull request that was merged, and the branch is still there.
    BranchOf {
        merged: u32,
        into: String,
        /// The other branch has its commits, so that nothing has to be rebased.
        is_contained: bool,
    },
}

impl Chain {
    /// The named pull request has to be open.
    pub(super) async fn find(cx: &PullContext, reference: &PrReference) -> Result<Self, OpError> {
        let repository = reference.repository();
        let all = cx.github.open_pulls(repository).await?;
        let open = downwards(&all, reference)?;
        for pair in open.windows(2) {
            refuse_long_lived(cx, repository, &pair[0], &pair[1]).await?;
            cx.require_words_of(
                repository,
                pair[0].author.as_ref(),
                &format!("{repository}#{}", pair[0].number),
            )
            .await?;
        }
        let below = below(cx, repository, &open[0], all.default_branch.as_deref()).await?;
        Ok(Self { open, below })
    }

    pub(super) fn lowest(&self) -> &OpenPull {
        &self.open[0]
    }

    /// The branch that all of them go to in the end.
    pub(super) fn base(&self) -> &str {
        &self.lowest().base_ref_name
    }
}

/// The named one and what it stands on, the lowest first. Never empty.
fn downwards(all: &OpenPulls, reference: &PrReference) -> Result<Vec<OpenPull>, OpError> {
    let named = all
        .pulls
        .iter()
        .find(|pull| pull.number == reference.number());
    let Some(named) = named else {
        return Err(too_many(reference));
    };
    let mut found = vec![named.clone()];
    while let Some(lower) = lower(all, &found[found.len() - 1])? {
        if found.iter().any(|one| one.number == lower.number) {
            return Err(OpError::logical(
                format!(
                    "#{} and #{} stand on each other",
                    lower.number, named.number
                ),
                "Give one of them another base branch.",
            ));
        }
        if found.len() == MAX_HEIGHT {
            return Err(OpError::logical(
                format!("{reference} stands on more than {MAX_HEIGHT} pull requests"),
                "Name a lower one.",
            ));
        }
        found.push(lower.clone());
    }
    let lowest = &found[found.len() - 1];
    if all.truncated && all.default_branch.as_ref() != Some(&lowest.base_ref_name) {
        return Err(too_many(reference));
    }
    found.reverse();
    Ok(found)
}

/// The one whose branch another one goes to. The default branch is what stacks end at, also where a
/// pull request brings it elsewhere.
fn lower<'p>(all: &'p OpenPulls, upper: &OpenPull) -> Result<Option<&'p OpenPull>, OpError> {
    let branch = &upper.base_ref_name;
    if all.default_branch.as_ref() == Some(branch) {
        return Ok(None);
    }
    let is_below = |lower: &&OpenPull| {
        !lower.is_cross_repository && lower.number != upper.number && lower.head_ref_name == *branch
    };
    let mut found = all.pulls.iter().filter(is_below);
    match (found.next(), found.next()) {
        (Some(one), Some(other)) => Err(OpError::logical(
            format!(
                "#{} and #{} both bring `{branch}` elsewhere, so that it is not clear where #{} is to land",
                one.number, other.number, upper.number
            ),
            "Merge one after the other with merge_pull_request.",
        )),
        (found, _) => Ok(found),
    }
}

/// A branch that others were merged into before, as into `develop`, goes on by itself: a pull request
/// that releases it is nothing that another one stands on.
async fn refuse_long_lived(
    cx: &PullContext,
    repository: &Repository,
    lower: &OpenPull,
    upper: &OpenPull,
) -> Result<(), OpError> {
    let branch = &lower.head_ref_name;
    let merged = cx
        .github
        .pull_requests_to(repository, branch, PullFilter::Closed)
        .await?;
    let Some(one) = merged.items.iter().find(|pull| pull.is_merged()) else {
        return Ok(());
    };
    Err(OpError::logical(
        format!(
            "`{branch}` seems to be a branch of its own, since #{} was merged into it: whether #{} stands on #{}, \
             which brings it to {}, is for a person to say",
            one.number, upper.number, lower.number, lower.base_ref_name
        ),
        format!(
            "Merge #{} into `{branch}` with merge_pull_request, or #{} first.",
            upper.number, lower.number
        ),
    ))
}

fn too_many(reference: &PrReference) -> OpError {
    OpError::logical(
        format!(
            "what {reference} stands on is not known: {} has more open pull requests than were read",
            reference.repository()
        ),
        "Merge the lower ones with merge_pull_request first.",
    )
}

async fn below(
    cx: &PullContext,
    repository: &Repository,
    lowest: &OpenPull,
    default_branch: Option<&str>,
) -> Result<Below, OpError> {
    let base = lowest.base_ref_name.as_str();
    if default_branch != Some(base)
        && let Some(merged) = merged_from(cx, repository, base).await?
    {
        return Ok(Below::BranchOf {
            merged: merged.number,
            is_contained: is_contained(cx, repository, &merged).await?,
            into: merged.base.branch,
        });
    }
    Ok(match merged_inside(cx, repository, lowest).await? {
        Some(merged) => Below::Merged(merged),
        None => Below::Branch,
    })
}

/// The pull request that brought a branch elsewhere, if the branch has not changed since.
async fn merged_from(
    cx: &PullContext,
    repository: &Repository,
    branch: &str,
) -> Result<Option<PullRequest>, OpError> {
    let Some(tip) = cx.github.branch_head(repository, branch).await? else {
        return Ok(None);
    };
    let from = cx
        .github
        .pull_requests_from(repository, repository.owner(), branch, PullFilter::Closed)
        .await?;
    let merged = from.items.into_iter();
    Ok(merged
        .filter(|pull| pull.is_merged() && pull.head.sha == tip)
        .max_by_key(|pull| pull.merged_at))
}

/// Whether the branch that a pull request was merged into has its very commits.
async fn is_contained(
    cx: &PullContext,
    repository: &Repository,
    merged: &PullRequest,
) -> Result<bool, OpError> {
    let (head, into) = (merged.head.sha.as_str(), merged.base.branch.as_str());
    let Some(tip) = cx.github.branch_head(repository, into).await? else {
        return Ok(false);
    };
    let objects = cx.objects(repository).await?;
    objects
        .have(&[
            NeededCommit::head_of(merged.number, head),
            NeededCommit::branch(into, tip.as_str()),
        ])
        .await?;
    Ok(objects.git.is_ancestor(head, tip.as_str()).await?)
}

/// The highest pull request whose commits are among those of an open one, although it was merged into
/// the same branch.
async fn merged_inside(
    cx: &PullContext,
    repository: &Repository,
    upper: &OpenPull,
) -> Result<Option<u32>, OpError> {
    let (base, head) = (upper.base_ref_name.as_str(), upper.head_ref_oid.as_str());
    let Some(tip) = cx.github.branch_head(repository, base).await? else {
        return Ok(None);
    };
    let objects = cx.objects(repository).await?;
    objects
        .have(&[
            NeededCommit::head_of(upper.number, head),
            NeededCommit::branch(base, tip.as_str()),
        ])
        .await?;
    let commits = objects
        .git
        .log(range(tip.as_str(), head), MAX_COMMITS)
        .await?;
    // One commit cannot be someone else's and its own.
    let [.., oldest] = &commits[..] else {
        return Ok(None);
    };
    if commits.len() < 2 {
        return Ok(None);
    }
    let with_it = cx
        .github
        .pull_requests_with_commit(repository, &oldest.commit)
        .await?;
    let place = |pull: &PullRequest| {
        let mut ids = commits.iter().map(|entry| &entry.commit);
        ids.position(|commit| *commit == pull.head.sha)
    };
    let merged = with_it
        .items
        .iter()
        .filter(|pull| pull.is_merged() && pull.base.branch == base && pull.number != upper.number);
    // The newest commit comes first.
    let highest = merged
        .filter_map(|pull| Some((place(pull)?, pull.number)))
        .min();
    Ok(highest.map(|(_, number)| number))
}

#[cfg(test)]
mod tests {
    use baton_protocol::Repository;
    use serde_json::json;

    use super::*;

    fn pull(number: u32, head: &str, base: &str) -> OpenPull {
        serde_json::from_value(json!({
            "id": format!("PR_{number}"), "number": number, "title": "A change", "url": "http://forge",
            "state": "OPEN", "isDraft": false, "isCrossRepository": false, "author": null,
            "baseRefName": base, "baseRefOid": format!("{:040x}", 0), "headRefName": head,
            "headRefOid": format!("{number:040x}"), "headRepository": null,
        }))
        .unwrap()
    }

    fn numbers(pulls: Vec<OpenPull>, truncated: bool) -> Result<Vec<u32>, String> {
        let all = OpenPulls {
            default_branch: Some("main".to_owned()),
            pulls,
            truncated,
            unreadable: Vec::new(),
        };
        let repository = Repository::parse("octo/demo").unwrap();
        let reference = PrReference::new(repository, 3).unwrap();
        downwards(&all, &reference)
            .map(|found| found.iter().map(|pull| pull.number).collect())
            .map_err(|error| error.sentence())
    }

    #[test]
    fn the_lowest_comes_first() {
        let stack = || {
            vec![
                pull(1, "a", "main"),
                pull(2, "b", "a"),
                pull(3, "c", "b"),
                pull(4, "d", "c"),
            ]
        };
        assert_eq!(numbers(stack(), false), Ok(vec![1, 2, 3]));
        // All of a stack that ends at the default branch has been read.
        assert_eq!(numbers(stack(), true), Ok(vec![1, 2, 3]));
    }

    #[test]
    fn a_branch_of_a_fork_carries_nothing() {
        let fork = OpenPull {
            is_cross_repository: true,
            ..pull(1, "b", "main")
        };
        assert_eq!(numbers(vec![fork, pull(3, "c", "b")], false), Ok(vec![3]));
    }

    #[test]
    fn circles_and_what_was_not_read_are_refused() {
        let circle = numbers(vec![pull(2, "b", "c"), pull(3, "c", "b")], false);
        insta::assert_snapshot!(circle.unwrap_err(), @"#3 and #3 stand on each other. Give one of them another base branch.");
        let unread = numbers(vec![pull(3, "c", "b")], true);
        insta::assert_snapshot!(unread.unwrap_err(), @"what octo/demo#3 stands on is not known: octo/demo has more open pull requests than were read. Merge the lower ones with merge_pull_request first.");
    }
}
