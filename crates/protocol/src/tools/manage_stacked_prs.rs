//! Two pull requests, one on top of the other: what changed below, and how to
//! bring the upper one up to date.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RiskLevel;
use crate::request::{
    boolean, integer, optional, pull_request, request, required, text, unlisted_default,
};

request! {
    pub struct ManageStackedPrsInput, unknown keys Refused {
        /// The lower pull request.
        base_pr: String = required(pull_request()),
        /// The pull request on top of it.
        dependent_pr: String = required(pull_request()),
        /// Plan fixes of test failures too (default: true).
        #[preference = "plan to fix tests that a rebase breaks"]
        auto_fix: bool = unlisted_default(true, boolean()),
        /// Rounds of fixing at most (default: 3).
        max_iterations: u64 = unlisted_default(3, integer(0..=u64::MAX)),
        /// Rebase with `--onto` (default: found out).
        #[preference = "rebase with --onto, or never"]
        use_onto: Option<bool> = optional(boolean()),
        /// The branch or commit to rebase onto.
        onto_base: Option<String> = optional(text()),
        /// The last commit that is not the dependent pull request's own (default: found out).
        cut: Option<String> = optional(text()),
        /// Merge what is below instead of rebasing, without a push by force (default: as the branch is kept).
        merge: Option<bool> = optional(boolean()),
        /// `nextCursor` of the page before.
        cursor: Option<String> = optional(text()),
    }
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "the four answers of the contract"
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ManageStackedPrsOutput {
    pub base_pr: String,
    pub dependent_pr: String,
    pub is_stacked: bool,
    pub stack_info: StackInfo,
    pub changes_detected: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_summary: Option<ChangeSummary>,
    pub upstream_merge_detected: bool,
    /// The base pull request was merged as one squashed commit.
    pub squash_merge: bool,
    /// The last commit below the dependent pull request's own work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_upstream_commit: Option<String>,
    pub rebase_strategy: RebaseStrategy,
    /// This page of commands.
    pub commands: Vec<StackCommand>,
    /// Present when there are more.
    #[serde(
        rename = "nextCursor",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub next_cursor: Option<String>,
    pub automation: Automation,
    pub summary: StackSummary,
    /// How the base pull request came into the branch that it went to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landing: Option<BaseLanding>,
    /// The pull requests above the base, each behind the one that it stands on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<StackMember>,
}

/// How a pull request came into a branch, and what proves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BaseLanding {
    pub way: LandingWay,
    /// The commit that brought it, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    pub proof: LandingProof,
    pub evidence: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LandingWay {
    /// With its own commits: by a merge commit, or as they were.
    Merge,
    Squash,
    Rebase,
    Unknown,
}

/// What proves it, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LandingProof {
    /// The forge names a commit, and history agrees.
    MergeCommit,
    /// Commits make the same change.
    PatchId,
    /// Files are the same.
    Content,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StackMember {
    /// `owner/repo#number`.
    pub pr: String,
    pub title: String,
    /// Its head branch.
    pub branch: String,
    pub head: String,
    /// It has to be put on something else.
    pub moves: bool,
    /// The commits that are its own, where they had to be told from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_commits: Option<u64>,
    /// The last commit below them, and what says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_commit_below: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Files that conflict when its rebase is rehearsed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub potential_conflicts: Vec<String>,
    /// Commits of the branch that are not its own, and that what is below no longer has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StackInfo {
    /// The base pull request's head branch.
    pub base_branch: String,
    /// The branch that the dependent pull request wants to merge into.
    pub dependent_base: String,
    pub matches: bool,
    /// The stack, drawn in ASCII.
    pub visualization: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeSummary {
    pub new_commits_in_base: u64,
    pub commits: Vec<StackCommit>,
    pub files_changed: Vec<String>,
    /// Files that conflict when the rebase is rehearsed.
    pub potential_conflicts: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StackCommit {
    pub sha: String,
    pub message: String,
    pub author: String,
    pub date: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RebaseStrategy {
    pub recommended: RebaseKind,
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regular_command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onto_command: Option<String>,
    /// Where the plan merges what is below instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_command: Option<String>,
    /// Both ways are valid.
    pub ai_should_decide: bool,
    pub considerations: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RebaseKind {
    Regular,
    Onto,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StackCommand {
    pub step: u64,
    #[serde(rename = "type")]
    pub kind: StackCommandKind,
    pub command: String,
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_duration: Option<String>,
    pub can_automate: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_if: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_on_failure: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StackCommandKind {
    Git,
    CiWait,
    Test,
    Fix,
    Verification,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Automation {
    pub enabled: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_step: Option<u64>,
    pub status: AutomationStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationStatus {
    NotStarted,
    InProgress,
    Completed,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StackSummary {
    pub action_required: bool,
    pub reason: String,
    pub estimated_total_time: String,
    pub risk_level: RiskLevel,
}
