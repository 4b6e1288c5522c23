//! Would it merge? The answer of real git, without touching a work tree.

mod causes;
mod conflict;
mod contents;
mod decisions;
mod instructions;
mod others;
mod preview;

use baton_host::git::{GitError, MergeTree};
use baton_protocol::Repository;
use baton_protocol::tools::detect_merge_conflicts::{
    DetectMergeConflictsInput, DetectMergeConflictsOutput, MergeConflict, MergeTarget,
    MergeableState,
};
use baton_remote::github::enums::{MergeState, PullState};

use super::context::PullContext;
use super::objects::{NeededCommit, Objects};
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};
use conflict::Conflict;
use contents::Contents;
use instructions::Clone;

pub struct DetectMergeConflicts;

impl Operation for DetectMergeConflicts {
    const META: Meta = Meta {
        name: "detect_merge_conflicts",
        title: "Detect merge conflicts",
        about: "Would it merge?",
        description: "Tries the merge of a pull request into its base branch, or into another one, with real git and \
            without touching a working tree. Gives each file in conflict with both sides and what they started from, \
            the commits that caused it, and the commands that resolve it. Call it before merging or rebasing, and \
            when a forge says only that there are conflicts.",
        input: "detect_merge_conflicts.input",
        output: "detect_merge_conflicts.output",
        effects: Effects::READ_REMOTE,
        may_last: operation::never,
    };
    type Input = DetectMergeConflictsInput;
    type Output = DetectMergeConflictsOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(detect(&cx, &input)).await
    }
}

/// More files in conflict are counted and not shown.
const MAX_CONFLICTS: usize = 30;

async fn detect(
    cx: &PullContext,
    input: &DetectMergeConflictsInput,
) -> Result<DetectMergeConflictsOutput, OpError> {
    let reference = cx.reference(&input.pr)?;
    let (repository, number) = (reference.repository(), reference.number());
    // Plain requests, as unchanged answers to them cost no quota.
    let (pull, objects) = tokio::join!(
        cx.github.pull_request(repository, number),
        cx.objects(repository),
    );
    let (pull, objects) = (pull?, objects?);
    if pull.is_merged() {
        return Err(OpError::logical(
            format!("{repository}#{number} is merged already"),
            "There is nothing left to merge; ask about an open pull request.",
        ));
    }
    let branch = input.target_branch.as_deref().unwrap_or(&pull.base.branch);
    let target = MergeTarget {
        branch: branch.to_owned(),
        commit: tip_of(cx, repository, branch).await?,
        head: pull.head.sha.as_str().to_owned(),
    };
    let merge = merge(&objects, repository, number, &target).await?;
    let mut found = conflict::from_merge(&merge);
    let total = found.len();
    found.truncate(MAX_CONFLICTS);
    let clone = Clone {
        web_url: &cx.workplace.web_url,
        repository,
        remote: objects.remote_name(),
    };
    let instructions =
        (!merge.clean).then(|| instructions::build(&clone, number, &target, &found, total));
    let conflicts = described(&objects, &target, found).await?;
    let others = if input.other_pull_requests {
        Some(others::conflicting(cx, repository, &objects, &pull).await?)
    } else {
        None
    };
    let closed = (pull.state == PullState::Closed).then(|| {
        format!("{repository}#{number} is closed; it has to be opened again to be merged")
    });
    let forge_state = pull
        .mergeable_state
        .as_ref()
        .filter(|_| branch == pull.base.branch);
    let judged = judge(merge.clean, forge_state);
    Ok(DetectMergeConflictsOutput {
        pr: format!("{repository}#{number}"),
        has_conflicts: !merge.clean,
        instructions,
        conflicts: (!merge.clean).then_some(conflicts),
        mergeable_state: judged.state,
        merge_state_status: judged.forge_word,
        target: Some(target),
        message: message([
            closed,
            cut(total),
            judged.disagreement,
            others.as_ref().and_then(|others| others.note.clone()),
        ]),
        other_pull_requests: others.map(|others| others.conflicting),
    })
}

/// Where a branch is now. A pull request's own record of its base is as old as
/// its last push.
async fn tip_of(
    cx: &PullContext,
    repository: &Repository,
    branch: &str,
) -> Result<String, OpError> {
    match cx.github.branch_head(repository, branch).await? {
        Some(tip) => Ok(tip.as_str().to_owned()),
        None => Err(OpError::logical(
            format!("{repository} has no branch `{branch}`"),
            "Name a branch that exists in `target_branch`.",
        )),
    }
}

/// Tried at once, and again when commits were missing: mostly they are here.
async fn merge(
    objects: &Objects,
    repository: &Repository,
    number: u32,
    target: &MergeTarget,
) -> Result<MergeTree, OpError> {
    let attempt = || objects.git.merge_tree(&target.commit, &target.head);
    let merge = match attempt().await {
        Err(GitError::Failed { .. }) => {
            let wanted = [
                NeededCommit::head_of(number, &target.head),
                NeededCommit::branch(&target.branch, &target.commit),
            ];
            objects.have(&wanted).await?;
            attempt().await
        }
        merge => merge,
    };
    match merge {
        Err(GitError::Failed { stderr, .. }) if stderr.contains("unrelated histories") => {
            Err(OpError::logical(
                format!(
                    "{repository}#{number} and {} have no commit in common",
                    target.branch
                ),
                "Compare it with a branch that it was made from.",
            ))
        }
        merge => Ok(merge?),
    }
}

async fn described(
    objects: &Objects,
    target: &MergeTarget,
    conflicts: Vec<Conflict>,
) -> Result<Vec<MergeConflict>, GitError> {
    let (contents, changes) = tokio::join!(
        Contents::read(&objects.git, &conflicts),
        causes::changes(&objects.git, target, &conflicts),
    );
    let (contents, changes) = (contents?, changes?);
    let described = |conflict: Conflict| {
        let sides = preview::sides(&contents, &conflict);
        MergeConflict {
            file_path: conflict.shown_path(),
            conflict_type: conflict.kind,
            base_content_preview: sides.target,
            head_content_preview: sides.head,
            ancestor_content_preview: sides.ancestor,
            suggested_resolution: conflict.suggestion().map(str::to_owned),
            caused_by: Some(causes::for_conflict(&changes, &conflict)),
            git_conflict: Some(conflict.git_name),
        }
    };
    Ok(conflicts.into_iter().map(described).collect())
}

struct Judged {
    state: MergeableState,
    forge_word: Option<String>,
    /// What the forge says, when it is not what git says.
    disagreement: Option<String>,
}

/// git knows whether it merges; the forge knows the rest. `forge` is given
/// when the question is about the pull request's own base.
fn judge(clean: bool, forge: Option<&MergeState>) -> Judged {
    let Some(forge) = forge else {
        let state = if clean {
            MergeableState::Clean
        } else {
            MergeableState::Dirty
        };
        return Judged {
            state,
            forge_word: None,
            disagreement: None,
        };
    };
    let state = match (clean, forge) {
        (false, _) => MergeableState::Dirty,
        (true, MergeState::Clean | MergeState::HasHooks) => MergeableState::Clean,
        (
            true,
            MergeState::Unstable | MergeState::Behind | MergeState::Blocked | MergeState::Draft,
        ) => MergeableState::Unstable,
        (true, _) => MergeableState::Unknown,
    };
    let forge_word = forge.as_str();
    let disagrees = match forge {
        MergeState::NotKnownYet | MergeState::Unknown(_) => false,
        MergeState::Dirty => clean,
        _ => !clean,
    };
    Judged {
        state,
        forge_word: Some(forge_word.to_owned()),
        disagreement: disagrees.then(|| {
            let git = if clean {
                "merges cleanly"
            } else {
                "has conflicts"
            };
            format!("git says that it {git}; the forge still says {forge_word}")
        }),
    }
}

fn cut(total: usize) -> Option<String> {
    (total > MAX_CONFLICTS)
        .then(|| format!("{total} files are in conflict; the first {MAX_CONFLICTS} are shown"))
}

fn message(parts: [Option<String>; 4]) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(". "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_decides_and_the_forge_is_compared() {
        let told = |clean, forge: &MergeState| {
            let judged = judge(clean, Some(forge));
            (judged.state, judged.disagreement.is_some())
        };
        assert_eq!(
            told(true, &MergeState::Clean),
            (MergeableState::Clean, false)
        );
        assert_eq!(
            told(true, &MergeState::Blocked),
            (MergeableState::Unstable, false)
        );
        assert_eq!(
            told(true, &MergeState::NotKnownYet),
            (MergeableState::Unknown, false)
        );
        assert_eq!(
            told(true, &MergeState::Dirty),
            (MergeableState::Unknown, true)
        );
        assert_eq!(
            told(false, &MergeState::Clean),
            (MergeableState::Dirty, true)
        );
        assert_eq!(
            told(false, &MergeState::NotKnownYet),
            (MergeableState::Dirty, false)
        );
        assert_eq!(judge(true, None).state, MergeableState::Clean);
    }
}
