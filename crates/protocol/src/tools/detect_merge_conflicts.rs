//! Would it merge? The answer of real git, without touching a work tree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Problems;
use crate::object_reader::{ObjectReader, UnknownKeys, text};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DetectMergeConflictsInput {
    /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
    pub pr: String,
    /// The branch to merge into, instead of the pull request's own base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_branch: Option<String>,
}

impl DetectMergeConflictsInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let pr = reader.required("pr", text);
        let target_branch = reader.optional("target_branch", text);
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self {
            pr: pr.unwrap_or_default(),
            target_branch,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DetectMergeConflictsOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    pub has_conflicts: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<Vec<MergeConflict>>,
    pub mergeable_state: MergeableState,
    /// The forge's own, finer word for the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_state_status: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<ConflictInstructions>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeConflict {
    pub file_path: String,
    pub conflict_type: ConflictType,
    pub base_content_preview: String,
    pub head_content_preview: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_resolution: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConflictType {
    Content,
    Rename,
    Delete,
    Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MergeableState {
    Clean,
    Unstable,
    Dirty,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConflictInstructions {
    pub resolution_steps: Vec<String>,
    pub estimated_time: String,
}
