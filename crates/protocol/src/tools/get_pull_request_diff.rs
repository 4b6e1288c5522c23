//! The diff of a pull request, file by file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{
    integer, list_of, optional, pull_request, request, required, text, unlisted_default,
};

request! {
    pub struct GetPullRequestDiffInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
        /// Only files whose path matches one of these patterns: `*` stops at a slash, `**` does not (default: all).
        paths: Vec<String> = unlisted_default(Vec::new(), list_of(text())),
        /// Maximum files in one answer (default: 50).
        limit: u64 = unlisted_default(50, integer(1..=300)),
        /// `nextCursor` of the page before.
        cursor: Option<String> = optional(text()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetPullRequestDiffOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    /// The branch that it goes to.
    pub base: String,
    /// The commit that the diff ends with.
    pub head: String,
    /// How many files match, over all pages.
    pub total_files: u64,
    /// This page of them.
    pub files: Vec<DiffFile>,
    /// Present when there are more.
    #[serde(
        rename = "nextCursor",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub next_cursor: Option<String>,
    /// What the diff does not show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffFile {
    pub path: String,
    /// Where a renamed or copied file came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_path: Option<String>,
    /// `added`, `removed`, `modified`, `renamed`, `copied`, `changed` (its mode or kind) or `unchanged`.
    pub status: String,
    pub additions: u64,
    pub deletions: u64,
    /// The hunks of a unified diff. Absent for binary and very large files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The patch is longer than shown here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub patch_is_cut: bool,
}
