//! The runs on this machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::workflow::WorkflowStatus;
use crate::Problems;
use crate::object_reader::{ObjectReader, UnknownKeys, boolean, integer};

/// A page that an agent still reads.
pub const MOST_RUNS: u64 = 100;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListWorkflowsInput {
    /// Only those that have not ended (default: false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<bool>,
    /// At most so many, the newest first (default: 20).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<u64>,
}

impl ListWorkflowsInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let open = reader.optional("open", boolean);
        let limit = reader.optional("limit", integer(1..=MOST_RUNS));
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self { open, limit })
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
