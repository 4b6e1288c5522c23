//! Brings the branch of a pull request up to date with its base, by a merge on the server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{optional, pull_request, request, required, text};

request! {
    pub struct UpdateBranchInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
        /// The head that was looked at. Nothing is changed when it is another one by now.
        expected_head: Option<String> = optional(text()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UpdateBranchOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    pub status: UpdateStatus,
    /// The head before this call.
    pub head: String,
    /// The branch that it goes to.
    pub base: String,
    /// How many commits of the base it lacked before this call. Absent when that could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind_by: Option<u64>,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UpdateStatus {
    /// GitHub merges the base in, in the background.
    Accepted,
    /// It has all of the base already.
    UpToDate,
    /// GitHub refused, for instance because of conflicts.
    Refused,
}
