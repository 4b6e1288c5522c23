//! The steps and stages of a run.

use std::fmt;

use baton_protocol::handoff::Agent;
use serde::{Deserialize, Serialize};

/// What happens between two passes. Two agents have two steps each, because a
/// person may want to approve between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// issue-manager: find or write the issue.
    Issue,
    /// prep-agent: branch, workspace, dependencies.
    Prepare,
    /// implementer-agent: commits in the workspace.
    Implement,
    /// implementer-agent: push and pull request.
    Publish,
    Review,
    Fix,
    /// validator-agent: everything that has to hold before a merge.
    Validate,
    /// validator-agent: the merge itself.
    Merge,
    Close,
    /// After a failure or a cancellation: release the resources of the run.
    CleanUp,
}

impl Step {
    pub const ALL: &'static [Self] = &[
        Self::Issue,
        Self::Prepare,
        Self::Implement,
        Self::Publish,
        Self::Review,
        Self::Fix,
        Self::Validate,
        Self::Merge,
        Self::Close,
        Self::CleanUp,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::Prepare => "prepare",
            Self::Implement => "implement",
            Self::Publish => "publish",
            Self::Review => "review",
            Self::Fix => "fix",
            Self::Validate => "validate",
            Self::Merge => "merge",
            Self::Close => "close",
            Self::CleanUp => "clean-up",
        }
    }

    pub fn agent(self) -> Agent {
        match self {
            Self::Issue => Agent::IssueManager,
            Self::Prepare => Agent::Prep,
            Self::Implement | Self::Publish => Agent::Implementer,
            Self::Review => Agent::Reviewer,
            Self::Fix => Agent::Fixer,
            Self::Validate | Self::Merge => Agent::Validator,
            Self::Close => Agent::Closer,
            Self::CleanUp => Agent::Orchestrator,
        }
    }

    /// `None` for cleaning up, which can happen at any stage.
    pub fn stage(self) -> Option<Stage> {
        match self {
            Self::Issue => Some(Stage::Created),
            Self::Prepare => Some(Stage::Preparing),
            Self::Implement | Self::Publish => Some(Stage::Implementing),
            Self::Review => Some(Stage::InReview),
            Self::Fix => Some(Stage::Fixing),
            Self::Validate => Some(Stage::Validating),
            Self::Merge | Self::Close => Some(Stage::Merging),
            Self::CleanUp => None,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    Created,
    Preparing,
    Implementing,
    InReview,
    Fixing,
    Validating,
    Merging,
    Closed,
}

impl Stage {
    pub fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Preparing => "preparing",
            Self::Implementing => "implementing",
            Self::InReview => "in_review",
            Self::Fixing => "fixing",
            Self::Validating => "validating",
            Self::Merging => "merging",
            Self::Closed => "closed",
        }
    }
}
