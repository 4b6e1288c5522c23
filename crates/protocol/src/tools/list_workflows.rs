//! The runs on this machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::workflow::WorkflowStatus;
use crate::request::{boolean, integer, request, unlisted_default};

/// A page that an agent still reads.
const MAX_RUNS: u64 = 100;

request! {
    pub struct ListWorkflowsInput, unknown keys Refused {
        /// Only those that have not ended (default: false).
        open: bool = unlisted_default(false, boolean()),
        /// Maximum to list, newest first (default: 20).
        limit: u64 = unlisted_default(20, integer(1..=MAX_RUNS)),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListWorkflowsOutput {
    pub workflows: Vec<WorkflowSummary>,
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowSummary {
    pub run: String,
    /// What is wanted, in the words of the user.
    pub request: String,
    /// Where it stands, or stood when it could last be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<WorkflowStatus>,
    /// A living process drives the run.
    pub driven: bool,
    /// RFC 3339, in UTC.
    pub created: String,
    /// When something last happened.
    pub changed: String,
    /// Why the run cannot be read, and what to do about it. Other runs are not affected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}
