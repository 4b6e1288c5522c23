//! Merges a pull request in the way that its base demands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{
    boolean, optional, pull_request, request, required, text, unlisted_default, word,
};

request! {
    pub struct MergePullRequestInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
        /// The head that was checked. Nothing is merged when it is another one by now (default: the head that this call checks).
        commit: Option<String> = optional(text()),
        /// How to merge (default: the first that the base allows). A merge queue has a method of its own.
        method: Option<MergeWord> = optional(word()),
        /// Also when something has still to report or to approve: the server merges it when its rules allow that (auto-merge).
        when_ready: bool = unlisted_default(false, boolean()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeWord {
    Merge,
    Squash,
    Rebase,
}

impl MergeWord {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Squash => "squash",
            Self::Rebase => "rebase",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergePullRequestOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    pub status: MergeResult,
    /// The head that was checked.
    pub head: String,
    /// The branch that it goes to.
    pub base: String,
    /// The commit on the base, once it is merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit: Option<String>,
    /// This call changed something; otherwise it was so before.
    pub changed: bool,
    /// What stands in the way, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocking_issues: Vec<String>,
    /// Takes back what this call has asked for, as long as it is not merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo_command: Option<String>,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeResult {
    Merged,
    /// It waits in the merge queue of its base.
    Queued,
    /// The server merges it as soon as its rules allow that.
    AutoMerge,
    /// The server merges it in the background, and has not ended.
    Pending,
    /// It was not merged.
    Refused,
}
