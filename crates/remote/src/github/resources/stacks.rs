//! GitHub's own stacks of pull requests, where the server has them.

use baton_protocol::Oid;
use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::PullState;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};

/// A pull request's position in a stack, as the pull request itself has it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct StackPlace {
    pub number: Option<u64>,
    /// From 1, which is the bottom.
    pub position: Option<u64>,
    pub size: Option<u64>,
    pub base: StackBase,
}

/// The base of the whole stack.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct StackBase {
    #[serde(rename = "ref")]
    pub branch: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Stack {
    pub number: u64,
    pub base: StackBase,
    /// Whether any of its pull requests is open.
    #[serde(default)]
    pub open: bool,
    /// From the bottom up.
    #[serde(default)]
    pub pull_requests: Vec<StackedPull>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct StackedPull {
    pub number: u32,
    pub state: PullState,
    #[serde(default)]
    pub draft: bool,
    pub merged_at: Option<Timestamp>,
    pub head: StackedHead,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct StackedHead {
    #[serde(rename = "ref")]
    pub branch: String,
    pub sha: Oid,
}

impl GitHub {
    /// The stack that a pull request is part of. `None` when it is in none, and
    /// when the server does not support stacks.
    pub async fn native_stack(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<Option<Stack>, GitHubError> {
        let errand = Errand::numbered("find the stack of", "pull request", repository, number);
        let request = endpoint::STACKS
            .read(repository, &[], errand)
            .query("pull_request", number)
            .query("per_page", 1);
        match self.get::<Vec<Stack>>(request).await {
            Ok(stacks) => Ok(stacks.into_iter().find(|stack| {
                // A server that ignores the filter lists them all.
                stack.pull_requests.iter().any(|pull| pull.number == number)
            })),
            Err(error) if matches!(error.kind(), GitHubErrorKind::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
