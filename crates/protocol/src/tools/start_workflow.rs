//! Starts a run that carries work from an issue to a merged pull request.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::workflow::WorkflowMode;
use crate::Problems;
use crate::object_reader::{ObjectReader, UnknownKeys, text_of_at_least, word};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartWorkflowInput {
    /// What is wanted, in words; or the number, `owner/repo#12` or URL of an issue that says it.
    #[schemars(length(min = 1))]
    pub request: String,
    /// `owner/name`, the repository's URL or the folder of a checkout on this machine (default: the
    /// checkout that baton was started in).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub repository: Option<String>,
    /// The coding agent that writes, such as `claude` or `codex` (default: as configured, else the
    /// first that is installed).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub agent: Option<String>,
    /// When a person is asked: `autonomous`, only when the run cannot go on without an answer; `semi`, also before
    /// the pull request and before the merge; `supervised`, before every pass (default: as configured, else
    /// `autonomous`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<WorkflowMode>,
    /// The branch to merge into (default: the repository's default branch).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub base_branch: Option<String>,
}

impl StartWorkflowInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let request = reader.required("request", text_of_at_least(1));
        let repository = reader.optional("repository", text_of_at_least(1));
        let agent = reader.optional("agent", text_of_at_least(1));
        let mode = reader.optional("mode", word(WorkflowMode::WORDS));
        let base_branch = reader.optional("base_branch", text_of_at_least(1));
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self {
            request: request.unwrap_or_default(),
            repository,
            agent,
            mode,
            base_branch,
        })
    }
}
