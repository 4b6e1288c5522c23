//! What the static review says about files or a change on this machine.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::Problems;
use crate::object_reader::{
    ObjectReader, UnknownKeys, boolean, list_of, text, text_of_at_least, word,
};
use crate::review::FindingSeverity;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewChangeInput {
    /// The absolute path of the project's folder.
    #[schemars(length(min = 1))]
    pub working_directory: String,
    /// The commit that the change began at (default: where the branch left the trunk).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub base: Option<String>,
    /// Files and folders, relative to the project's. Without `base` they are reviewed as they are, whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// Also tell of lines that the change did not touch, in the files that it touched (default: false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub everything: Option<bool>,
    /// Leave out what is less severe (default: as configured, else `medium`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<FindingSeverity>,
}

impl ReviewChangeInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let working_directory = reader.required("working_directory", text_of_at_least(1));
        let base = reader.optional("base", text_of_at_least(1));
        let files = reader.optional("files", list_of(text));
        let everything = reader.optional("everything", boolean);
        let threshold = reader.optional("threshold", word(&SEVERITIES));
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self {
            working_directory: working_directory.unwrap_or_default(),
            base,
            files,
            everything,
            threshold,
        })
    }
}

const SEVERITIES: [(&str, FindingSeverity); 4] = [
    ("low", FindingSeverity::Low),
    ("medium", FindingSeverity::Medium),
    ("high", FindingSeverity::High),
    ("critical", FindingSeverity::Critical),
];
