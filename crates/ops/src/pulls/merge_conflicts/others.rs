use baton_protocol::Repository;
use baton_protocol::tools::detect_merge_conflicts::OtherConflict;
use baton_remote::github::questions::overview::PullOverview;

use super::super::desk::Desk;
use super::super::objects::{Objects, Wanted};
use super::super::trouble::ToolError;
use super::conflict;

/// A merge takes git some milliseconds; more pull requests than this are a
/// backlog rather than work in progress.
const MOST_PULLS: usize = 100;
const MOST_FILES: usize = 10;

/// The other open pull requests into the same branch that this one does not
/// merge with, by number.
pub(super) async fn conflicting(
    desk: &Desk,
    repository: &Repository,
    objects: &Objects,
    pull: &PullOverview,
) -> Result<Vec<OtherConflict>, ToolError> {
    let open = desk.github.open_pulls(repository).await?;
    let others: Vec<_> = open
        .pulls
        .iter()
        .filter(|other| other.number != pull.number && other.base_ref_name == pull.base_ref_name)
        .take(MOST_PULLS)
        .collect();
    let wanted: Vec<_> = others
        .iter()
        .map(|other| Wanted::head_of(other.number, other.head_ref_oid.as_str()))
        .collect();
    objects.have(&wanted).await?;
    let mut found = Vec::new();
    for other in others {
        desk.progress
            .tell(&format!("trying the merge with #{}", other.number));
        let (ours, theirs) = (&pull.head_ref_oid, &other.head_ref_oid);
        let merge = objects
            .git
            .merge_tree(ours.as_str(), theirs.as_str())
            .await?;
        if merge.clean {
            continue;
        }
        let files = conflict::of(&merge).into_iter().take(MOST_FILES);
        found.push(OtherConflict {
            pr: format!("{repository}#{}", other.number),
            title: other.title.clone(),
            files: files.map(|one| one.path.display().to_string()).collect(),
        });
    }
    Ok(found)
}
