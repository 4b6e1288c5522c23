//! Would it merge? The answer of real git, without touching a work tree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{boolean, optional, pull_request, request, required, text, unlisted_default};

request! {
    pub struct DetectMergeConflictsInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
        /// The branch to merge into, instead of the pull request's own base.
        target_branch: Option<String> = optional(text()),
        /// Also try the merge with every other open pull request (default: false).
        other_pull_requests: bool = unlisted_default(false, boolean()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DetectMergeConflictsOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    pub has_conflicts: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<Vec<MergeConflict>>,
    pub mergeable_state: MergeableState,
    /// The forge's own, finer word for the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_state_status: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<ConflictInstructions>,
    /// The branch that the merge was tried with, and where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<MergeTarget>,
    /// What there is to know beside the lists: that they were cut, that the
    /// forge thinks otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Other open pull requests that this one does not merge with, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_pull_requests: Option<Vec<OtherConflict>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeTarget {
    pub branch: String,
    pub commit: String,
    /// The commit that the merge was tried with on the other side.
    pub head: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherConflict {
    /// `owner/repo#number`.
    pub pr: String,
    pub title: String,
    pub files: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeConflict {
    pub file_path: String,
    pub conflict_type: ConflictType,
    pub base_content_preview: String,
    pub head_content_preview: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_resolution: Option<String>,
    /// git's own name for it, such as `modify/delete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_conflict: Option<String>,
    /// What both sides started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ancestor_content_preview: Option<String>,
    /// The latest commits on the target branch that changed the file since
    /// the two parted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caused_by: Option<Vec<ConflictCause>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConflictCause {
    pub commit: String,
    pub subject: String,
    pub author: String,
    /// The pull request that brought it, when its message says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConflictType {
    Content,
    Rename,
    Delete,
    Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MergeableState {
    Clean,
    Unstable,
    Dirty,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConflictInstructions {
    pub resolution_steps: Vec<String>,
    pub estimated_time: String,
}
