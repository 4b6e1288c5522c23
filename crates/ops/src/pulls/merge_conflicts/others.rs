//! Conflicts with other open pull requests.

use baton_protocol::Repository;
use baton_protocol::tools::detect_merge_conflicts::OtherConflict;
use baton_remote::github::resources::pulls::PullRequest;

use super::super::context::PullContext;
use super::super::objects::{NeededCommit, Objects};
use super::conflict;
use crate::error::OpError;

/// A merge takes git some milliseconds; more pull requests than this are a
/// backlog rather than work in progress.
const MAX_PULLS: usize = 100;
const MAX_FILES: usize = 10;

#[derive(Debug, Default)]
pub(super) struct Others {
    pub(super) conflicting: Vec<OtherConflict>,
    /// That not all were tried, and how many were.
    pub(super) note: Option<String>,
}

/// The other open pull requests that this one does not merge with, by number.
/// Wherever they go: branches meet in the end.
pub(super) async fn conflicting(
    cx: &PullContext,
    repository: &Repository,
    objects: &Objects,
    pull: &PullRequest,
) -> Result<Others, OpError> {
    let open = cx.open_pulls(repository).await?;
    let mut others: Vec<_> = open
        .pulls
        .iter()
        .filter(|other| other.number != pull.number)
        .collect();
    let total = others.len();
    others.truncate(MAX_PULLS);
    let note = (total > MAX_PULLS || open.truncated)
        .then(|| format!("only the oldest {MAX_PULLS} of the other open pull requests were tried"));
    let wanted: Vec<_> = others
        .iter()
        .map(|other| NeededCommit::head_of(other.number, other.head_ref_oid.as_str()))
        .collect();
    objects.have(&wanted).await?;
    let mut found = Vec::new();
    for other in others {
        cx.tell(&format!("trying the merge with #{}", other.number));
        let (ours, theirs) = (&pull.head.sha, &other.head_ref_oid);
        let merge = objects
            .git
            .merge_tree(ours.as_str(), theirs.as_str())
            .await?;
        if merge.clean {
            continue;
        }
        let files = conflict::from_merge(&merge).into_iter().take(MAX_FILES);
        found.push(OtherConflict {
            pr: format!("{repository}#{}", other.number),
            title: other.title.clone(),
            files: files.map(|one| one.shown_path()).collect(),
        });
    }
    Ok(Others {
        conflicting: found,
        note,
    })
}
