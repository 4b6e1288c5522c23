//! Would it merge? The answer of real git, without touching a work tree.

mod conflict;
mod instructions;
mod others;
mod preview;

use std::path::PathBuf;

use baton_host::git::{GitError, LogRange};
use baton_protocol::Repository;
use baton_protocol::tools::detect_merge_conflicts::{
    ConflictCause, DetectMergeConflictsInput, DetectMergeConflictsOutput, MergeConflict,
    MergeTarget, MergeableState,
};
use baton_remote::github::questions::overview::PullOverview;
use baton_remote::github::words::{MergeState, PullState};
use serde_json::Value;

use super::desk::Desk;
use super::objects::{Objects, Wanted};
use super::tool::{Answer, Effects, Running, Tool};
use super::trouble::ToolError;
use conflict::Conflict;

pub(super) static TOOL: Tool = Tool {
    name: "detect_merge_conflicts",
    title: "Detect merge conflicts",
    about: "Would it merge?",
    description: "Tries the merge of a pull request into its base branch, or into another one, with real git and \
        without touching a working tree. Gives each file in conflict with both sides and what they started from, \
        the commits that caused it, and the commands that resolve it. Call it before merging or rebasing, and \
        when a forge says only that there are conflicts.",
    effects: Effects::ReadOnly,
    run,
};

/// More files in conflict are counted and not shown.
const MOST_CONFLICTS: usize = 30;
/// Who changed a file on the other side; the latest are enough to ask.
const MOST_CAUSES: usize = 3;

fn run<'a>(desk: &'a Desk, input: &'a Value) -> Running<'a> {
    Box::pin(async move {
        let input = DetectMergeConflictsInput::read(input)
            .map_err(|problems| ToolError::invalid_input(&problems))?;
        let output = detect(desk, &input).await?;
        Ok(Answer::MergeConflicts(Box::new(output)))
    })
}

async fn detect(
    desk: &Desk,
    input: &DetectMergeConflictsInput,
) -> Result<DetectMergeConflictsOutput, ToolError> {
    let reference = desk.reference(&input.pr)?;
    let (repository, number) = (reference.repository(), reference.number());
    let overview = desk.github.overview(repository, number).await?;
    let pull = &overview.pull;
    if pull.state == PullState::Merged {
        return Err(ToolError::logical(
            format!("{repository}#{number} is merged already"),
            "There is nothing left to merge; ask about an open pull request.",
        ));
    }
    let branch = input.target_branch.as_deref();
    let branch = branch.unwrap_or(&pull.base_ref_name);
    let tip = tip_of(desk, repository, branch).await?;
    let target = MergeTarget {
        branch: branch.to_owned(),
        commit: tip,
        head: pull.head_ref_oid.as_str().to_owned(),
    };
    let objects = desk.objects(repository).await?;
    objects
        .have(&[
            Wanted::head_of(number, &target.head),
            Wanted::branch(&target.branch, &target.commit),
        ])
        .await?;
    let merge = match objects.git.merge_tree(&target.commit, &target.head).await {
        Err(GitError::Failed { stderr, .. }) if stderr.contains("unrelated histories") => {
            return Err(ToolError::logical(
                format!("{repository}#{number} and {branch} have no commit in common"),
                "Compare it with a branch that it was made from.",
            ));
        }
        merge => merge?,
    };
    let found = conflict::of(&merge);
    let total = found.len();
    let mut conflicts = Vec::new();
    for conflict in found.into_iter().take(MOST_CONFLICTS) {
        conflicts.push(described(&objects, &target, conflict).await?);
    }
    let other_pull_requests = match input.other_pull_requests {
        Some(true) => Some(others::conflicting(desk, repository, &objects, pull).await?),
        _ => None,
    };
    let is_own_base = branch == pull.base_ref_name;
    let judged = judge(merge.clean, is_own_base.then_some(pull));
    Ok(DetectMergeConflictsOutput {
        pr: format!("{repository}#{number}"),
        has_conflicts: !merge.clean,
        instructions: (!merge.clean)
            .then(|| instructions::of(repository, number, &target, &conflicts, total)),
        conflicts: (!merge.clean).then_some(conflicts),
        mergeable_state: judged.state,
        merge_state_status: judged.forge_word,
        target: Some(target),
        message: message(total, judged.disagreement),
        other_pull_requests,
    })
}

/// Where a branch is now. A pull request's own record of its base is as old as
/// its last push.
async fn tip_of(desk: &Desk, repository: &Repository, branch: &str) -> Result<String, ToolError> {
    match desk.github.branch_head(repository, branch).await? {
        Some(tip) => Ok(tip.as_str().to_owned()),
        None => Err(ToolError::logical(
            format!("{repository} has no branch `{branch}`"),
            "Name a branch that exists in `target_branch`.",
        )),
    }
}

async fn described(
    objects: &Objects,
    target: &MergeTarget,
    conflict: Conflict,
) -> Result<MergeConflict, ToolError> {
    let sides = preview::of(&objects.git, &conflict).await?;
    Ok(MergeConflict {
        file_path: conflict.path.display().to_string(),
        conflict_type: conflict.kind,
        base_content_preview: sides.target,
        head_content_preview: sides.head,
        ancestor_content_preview: sides.ancestor,
        suggested_resolution: conflict.suggestion().map(str::to_owned),
        caused_by: Some(causes(objects, target, &conflict.paths).await?),
        git_conflict: Some(conflict.git_name),
    })
}

async fn causes(
    objects: &Objects,
    target: &MergeTarget,
    paths: &[PathBuf],
) -> Result<Vec<ConflictCause>, GitError> {
    let range = LogRange {
        from: Some(&target.head),
        to: &target.commit,
    };
    let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
    let commits = objects.git.log_touching(range, &paths, MOST_CAUSES).await?;
    Ok(commits
        .into_iter()
        .map(|commit| ConflictCause {
            subject: commit.subject().to_owned(),
            pr: conflict::pull_request_in(commit.subject()),
            commit: commit.commit.to_string(),
            author: commit.author.name,
        })
        .collect())
}

struct Judged {
    state: MergeableState,
    forge_word: Option<String>,
    /// What the forge says, when it is not what git says.
    disagreement: Option<String>,
}

/// git knows whether it merges; the forge knows the rest. `pull` is given when
/// the question is about its own base.
fn judge(clean: bool, pull: Option<&PullOverview>) -> Judged {
    let Some(pull) = pull else {
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
    let state = match (clean, &pull.merge_state_status) {
        (false, _) => MergeableState::Dirty,
        (true, MergeState::Clean | MergeState::HasHooks) => MergeableState::Clean,
        (
            true,
            MergeState::Unstable | MergeState::Behind | MergeState::Blocked | MergeState::Draft,
        ) => MergeableState::Unstable,
        (true, _) => MergeableState::Unknown,
    };
    let forge_word = pull.merge_state_status.as_str();
    let disagrees = match &pull.merge_state_status {
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

fn message(total: usize, disagreement: Option<String>) -> Option<String> {
    let cut = (total > MOST_CONFLICTS)
        .then(|| format!("{total} files are in conflict; the first {MOST_CONFLICTS} are shown"));
    let parts: Vec<String> = cut.into_iter().chain(disagreement).collect();
    (!parts.is_empty()).then(|| parts.join(". "))
}
