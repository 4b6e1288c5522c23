//! Ends a run early: what is under way is stopped, and what it holds is let go.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::Problems;
use crate::object_reader::{ObjectReader, UnknownKeys, text, text_of_at_least};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelWorkflowInput {
    /// The run, as `start_workflow` named it; its beginning is enough where it is the only one.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Why, for those who look at the run later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl CancelWorkflowInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let run = reader.required("run", text_of_at_least(1));
        let reason = reader.optional("reason", text);
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self {
            run: run.unwrap_or_default(),
            reason,
        })
    }
}
