//! The pull requests of a repository, each with how it stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::UnreadablePart;
use crate::request::{integer, list_of, optional, request, text, unlisted_default, word};

request! {
    pub struct ListPullRequestsInput, unknown keys Refused {
        /// The repository as `owner/repo` (default: that of the checkout that baton was started in).
        repository: Option<String> = optional(text()),
        /// Which ones (default: open).
        state: ListedState = unlisted_default(ListedState::Open, word()),
        /// Only those of this author.
        author: Option<String> = optional(text()),
        /// Only those with any of these labels.
        labels: Vec<String> = unlisted_default(Vec::new(), list_of(text())),
        /// Only those that go to this branch.
        base: Option<String> = optional(text()),
        /// Only those that come from this branch.
        head: Option<String> = optional(text()),
        /// Maximum to list, newest first (default: 20).
        limit: u64 = unlisted_default(20, integer(1..=100)),
        /// `nextCursor` of the page before.
        cursor: Option<String> = optional(text()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListedState {
    Open,
    Closed,
    Merged,
    All,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListPullRequestsOutput {
    /// `owner/repo`.
    pub repository: String,
    /// How many match, over all pages.
    pub total: u64,
    /// This page of them, the newest first.
    pub pull_requests: Vec<ListedPullRequest>,
    /// Present when there are more.
    #[serde(
        rename = "nextCursor",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub next_cursor: Option<String>,
    /// What the list alone does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What could not be read; it counts as unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadablePart>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedPullRequest {
    /// `owner/repo#number`.
    pub pr: String,
    pub number: u64,
    pub title: String,
    pub html_url: String,
    pub author: String,
    pub state: PullRequestState,
    pub draft: bool,
    /// The branch that it comes from.
    pub head: String,
    /// That branch is in a fork.
    pub from_fork: bool,
    /// The branch that it goes to.
    pub base: String,
    /// Absent when they could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// All checks of the head together.
    pub ci: CiRollup,
    pub review: ReviewStanding,
    /// Whether it merges without conflicts.
    pub mergeable: MergesCleanly,
    /// RFC 3339, in UTC.
    pub updated: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PullRequestState {
    Open,
    Closed,
    Merged,
    /// A word of the server that this version does not know.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CiRollup {
    Passed,
    Failed,
    Pending,
    /// Nothing reports on the head.
    None,
    /// It could not be read.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStanding {
    Approved,
    ChangesRequested,
    /// A rule wants a review that is not there yet.
    Required,
    /// No rule wants one.
    None,
    /// It could not be read.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MergesCleanly {
    Yes,
    No,
    /// It could not be read, or is not known yet.
    Unknown,
}
