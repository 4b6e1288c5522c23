//! Answers the question that a run asks.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::Problems;
use crate::object_reader::{ObjectReader, UnknownKeys, text, text_of_at_least, text_that};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerWorkflowInput {
    /// The run, as `start_workflow` named it; its beginning is enough where it is the only one.
    #[schemars(length(min = 1))]
    pub run: String,
    /// The `choice` of one of the question's options.
    #[schemars(length(min = 1, max = 1))]
    pub choice: String,
    /// What the next step should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

impl AnswerWorkflowInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let run = reader.required("run", text_of_at_least(1));
        let is_one = |text: &str| text.chars().count() == 1;
        let choice = reader.required("choice", text_that("a single character", is_one));
        let comment = reader.optional("comment", text);
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self {
            run: run.unwrap_or_default(),
            choice: choice.unwrap_or_default(),
            comment,
        })
    }
}
