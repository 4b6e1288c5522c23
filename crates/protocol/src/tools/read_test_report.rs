//! What a test run said, read from its output, its report file or a CI log.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::Problems;
use crate::object_reader::{ObjectReader, UnknownKeys, text};

/// Either the text itself or the file that has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadTestReportInput {
    /// What the test run printed, or the content of its report file. Give either this or `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A file on this machine: a log, JUnit XML or a JSON report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl ReadTestReportInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let given = reader.optional("text", text);
        let file = reader.optional("file", text);
        reader.rule(
            "text",
            "give either 'text' or 'file'",
            given.is_some() != file.is_some(),
        );
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self { text: given, file })
    }
}
