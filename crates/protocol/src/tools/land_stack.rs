//! Merges a stack of pull requests, from the bottom up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::merge_pull_request::MergeWord;
use crate::request::{boolean, optional, pull_request, request, required, unlisted_default, word};

request! {
    pub struct LandStackInput, unknown keys Refused {
        /// The highest pull request to merge: everything that it stands on is merged before it.
        pr: String = required(pull_request()),
        /// How to merge each (default: the first that its base allows).
        method: Option<MergeWord> = optional(word()),
        /// Only say what would be done, and what stands in the way (default: false).
        dry_run: bool = unlisted_default(false, boolean()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LandStackOutput {
    /// The highest pull request as `owner/repo#number`.
    pub pr: String,
    pub status: LandStatus,
    /// The branch that the stack goes to.
    pub base: String,
    /// What this call merged, the lowest first.
    pub landed: Vec<LandedPr>,
    /// Those that this call moved onto what is below them now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restacked: Vec<String>,
    /// Not merged yet, the lowest first.
    pub remaining: Vec<RemainingPr>,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LandStatus {
    /// All of them are merged.
    Landed,
    /// CI or the server is at work on the lowest that remains; the same call again goes on.
    Waiting,
    /// Something stands in the way that does not pass by itself.
    Blocked,
    /// Nothing was changed.
    Rehearsed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LandedPr {
    pub pr: String,
    /// The commit on the base, where the server names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemainingPr {
    pub pr: String,
    pub branch: String,
    /// What stands in the way now, one sentence each, where it was looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocking_issues: Vec<String>,
}
