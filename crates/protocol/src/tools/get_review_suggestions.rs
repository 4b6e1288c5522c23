//! A pull request, prepared for an agent that reviews it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::UnreadablePart;
use crate::request::{
    boolean, integer, list_of, pull_request, request, required, text, unlisted_default,
};

request! {
    pub struct GetReviewSuggestionsInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
        /// What to look at, such as `security` or `performance`.
        focus_areas: Vec<String> = unlisted_default(Vec::new(), list_of(text())),
        /// Include diffs (default: true).
        include_diff: bool = unlisted_default(true, boolean()),
        /// Lines of diff at most, over all files (default: 500).
        max_diff_lines: u64 = unlisted_default(500, integer(0..=u64::MAX)),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetReviewSuggestionsOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    pub metadata: PrMetadata,
    pub files: Vec<ReviewFile>,
    pub review_checklist: Vec<ChecklistSection>,
    pub context: ReviewContext,
    /// Changed files that are not listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_files: Option<u64>,
    /// What there is to know beside the lists: how much of the diff is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What could not be read; it counts as unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadablePart>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PrMetadata {
    pub title: String,
    pub description: String,
    pub author: String,
    pub labels: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewFile {
    pub path: String,
    pub status: FileStatus,
    pub additions: u64,
    pub deletions: u64,
    /// Cut where the budget ends; omissions are said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_excerpt: Option<String>,
    pub focus_points: Vec<String>,
    /// Where a renamed file was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_path: Option<String>,
    /// Lines of the diff that the excerpt leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted_lines: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileStatus {
    Added,
    Modified,
    Deleted,
    Renamed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChecklistSection {
    pub category: String,
    pub items: Vec<ChecklistItem>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChecklistItem {
    pub question: String,
    pub guidance: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewContext {
    pub related_issues: Vec<u64>,
    pub mentioned_prs: Vec<u64>,
    pub breaking_changes_detected: bool,
    /// What was seen of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaking_changes: Vec<BreakingChange>,
}

/// Something that others may rely on, and that is no longer what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BreakingChange {
    /// Absent when the pull request itself says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// In the file as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    pub what: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}
