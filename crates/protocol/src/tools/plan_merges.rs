//! In which order open pull requests can be merged, proved by merging them in the object store.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{integer, optional, request, text, unlisted_default};

request! {
    pub struct PlanMergesInput, unknown keys Refused {
        /// The repository as `owner/repo` (default: that of the checkout that baton was started in).
        repository: Option<String> = optional(text()),
        /// The branch that they go to (default: the repository's default branch).
        base: Option<String> = optional(text()),
        /// Maximum to plan, oldest first (default: 16).
        limit: u64 = unlisted_default(16, integer(1..=20)),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanMergesOutput {
    /// `owner/repo`.
    pub repository: String,
    pub base: PlannedBase,
    /// In the order in which to merge them.
    pub order: Vec<PlannedMerge>,
    /// Pull requests that do not fit together.
    pub conflicts: Vec<ConflictingPair>,
    /// How many merge one after the other as they are.
    pub land_as_they_are: u64,
    /// How many have to be brought up to date before their merge.
    pub need_work: u64,
    /// What the plan leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedBase {
    pub branch: String,
    /// Its tip, for which the plan holds.
    pub commit: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedMerge {
    /// `owner/repo#number`.
    pub pr: String,
    pub title: String,
    /// The head that was merged in the rehearsal.
    pub head: String,
    pub draft: bool,
    pub needs: MergeNeed,
    /// Files in conflict with the base branch as it is after those before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What stands in its way: pull requests before it; none where the base branch itself does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because_of: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeNeed {
    /// It merges without conflicts when those before it are merged.
    Nothing,
    /// Its conflicts with what is there by then have to be resolved.
    Resolve,
    /// It conflicts with the base branch as that is now.
    ResolveNow,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConflictingPair {
    /// `owner/repo#number`.
    pub one: String,
    pub other: String,
    pub files: Vec<String>,
}
