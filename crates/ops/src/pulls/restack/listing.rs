//! Which refs belong to the stack.

use baton_host::git::Branch;
use baton_protocol::Repository;
use baton_protocol::tools::restack::RestackedPr;

use super::super::stacked_prs::{Member, Survey};
use super::refs::{Moving, Place};
use crate::error::OpError;

/// Everything that moves: on the forge, here, and the base branch.
pub(super) async fn moves(
    survey: &Survey,
    made: &[RestackedPr],
    new_base: Option<(Member, String)>,
) -> Result<Vec<Moving>, OpError> {
    let mut list = Vec::new();
    if let Some((member, branch)) = new_base {
        list.push(Moving {
            place: Place::BaseBranch(member.number),
            name: format!("{}#{}", survey.repository, member.number),
            old: member.base_branch,
            new: Some(branch),
        });
    }
    let mut places: Vec<Repository> = Vec::new();
    for (one, new) in survey.moves.iter().zip(made) {
        let place = one.member.head_repository.as_deref();
        let Some(place) = place.and_then(|name| Repository::parse(name).ok()) else {
            return Err(OpError::logical(
                format!("the repository of the head of {} is gone", new.pr),
                "Nothing can be pushed there; open the pull request again from another branch.",
            ));
        };
        if !places.contains(&place) {
            places.push(place.clone());
        }
        list.push(Moving {
            place: Place::Forge(place),
            name: format!("refs/heads/{}", one.member.head_branch),
            old: Some(new.old_head.clone()),
            new: Some(new.new_head.clone()),
        });
    }
    if places.len() > 1 {
        return Err(OpError::logical(
            "the branches of the stack are in several repositories, which cannot be pushed to at once",
            "Use the commands of manage_stacked_prs.",
        ));
    }
    list.extend(local_moves(survey, made).await?);
    Ok(list)
}

/// Branches of the checkout that are where the forge's are. One that is
/// elsewhere has work of its own and stays.
async fn local_moves(survey: &Survey, made: &[RestackedPr]) -> Result<Vec<Moving>, OpError> {
    if !survey.objects.is_checkout {
        return Ok(Vec::new());
    }
    let git = &survey.objects.git;
    let branches = git.branches().await?;
    let copies = git.remote_branches().await?;
    let remote = survey.objects.remote_name();
    let mut list = Vec::new();
    for new in made {
        let copy = format!("{remote}/{}", new.branch);
        let known = copies.iter().find(|branch| branch.name == copy);
        list.push(Moving {
            place: Place::Tracking,
            name: format!("refs/remotes/{copy}"),
            old: known.map(|branch| branch.commit.to_string()),
            new: Some(new.new_head.clone()),
        });
        let is_there =
            |branch: &&Branch| branch.name == new.branch && branch.commit.as_str() == new.old_head;
        if branches.iter().any(|branch| is_there(&branch)) {
            list.push(Moving {
                place: Place::Local,
                name: format!("refs/heads/{}", new.branch),
                old: Some(new.old_head.clone()),
                new: Some(new.new_head.clone()),
            });
        }
    }
    Ok(list)
}
