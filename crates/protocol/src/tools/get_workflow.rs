//! Where a run stands, and a bounded wait for it to get further.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::Problems;
use crate::object_reader::{ObjectReader, UnknownKeys, integer, text_of_at_least};

/// Less than what clients wait for an answer.
pub const LONGEST_WAIT_SECONDS: u64 = 45;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetWorkflowInput {
    /// The run, as `start_workflow` named it; its beginning is enough where it is the only one.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Wait up to this long for the status to change, or for the run to ask or end (default: 0).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 45))]
    pub wait_seconds: Option<u64>,
}

impl GetWorkflowInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let run = reader.required("run", text_of_at_least(1));
        let wait_seconds = reader.optional("wait_seconds", integer(0..=LONGEST_WAIT_SECONDS));
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self {
            run: run.unwrap_or_default(),
            wait_seconds,
        })
    }
}
