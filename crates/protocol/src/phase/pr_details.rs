//! What the PR phase found out and did beyond its output. Written by
//! `--details`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pr::PrOutput;

/// One record per call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrDetails {
    /// Changes whenever the meaning of a field does.
    pub version: u32,
    /// The phase's own output, as it went to stdout.
    pub output: Option<PrOutput>,
    /// Where the pull request is, as `host/owner/name`.
    pub repository: Option<String>,
    /// The remote that the branch was pushed to.
    pub remote: Option<String>,
    /// The branch as the pull request names it: `owner:branch` from a fork.
    pub head_name: Option<String>,
    /// The commit that the branch is at.
    pub head: Option<String>,
    pub push: Option<PushResult>,
    pub creation: Option<CreationResult>,
    /// An earlier call was cut off, and this one took it up.
    pub resumed: bool,
    /// How Jira was reached.
    pub jira_route: Option<String>,
    pub link: Option<LinkResult>,
    /// The transition that was taken.
    pub transition: Option<String>,
    /// Requests to GitHub, with retries.
    pub github_requests: Option<u64>,
}

impl Default for PrDetails {
    fn default() -> Self {
        Self {
            version: 1,
            output: None,
            repository: None,
            remote: None,
            head_name: None,
            head: None,
            push: None,
            creation: None,
            resumed: false,
            jira_route: None,
            link: None,
            transition: None,
            github_requests: None,
        }
    }
}

/// What the push did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PushResult {
    Created,
    Updated,
    UpToDate,
    /// The branch is not here; the remote's own was taken.
    OnlyOnRemote,
}

/// Where the pull request came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CreationResult {
    Created,
    /// An earlier try of the same operation had made it.
    Resumed,
    /// It had been opened by another user; title and text were replaced.
    Adopted,
}

/// How the issue leads to the pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkResult {
    RemoteLink,
    Comment,
    /// A comment with the address was there.
    Already,
}
