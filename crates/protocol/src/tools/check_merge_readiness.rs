//! May it be merged, and if not, what stands in the way?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Problems;
use crate::object_reader::{ObjectReader, UnknownKeys, text};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckMergeReadinessInput {
    /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
    pub pr: String,
}

impl CheckMergeReadinessInput {
    pub fn read(value: &Value) -> Result<Self, Problems> {
        let mut reader = ObjectReader::new(value)?;
        let pr = reader.required("pr", text);
        reader.finish(UnknownKeys::Refused)?;
        Ok(Self {
            pr: pr.unwrap_or_default(),
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckMergeReadinessOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    /// True only when every rule is known to be satisfied.
    pub ready_to_merge: bool,
    pub checks: ReadinessChecks,
    pub blocking_issues: Vec<BlockingIssue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_protection: Option<BranchProtection>,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "the five answers of the contract"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadinessChecks {
    pub ci_passing: bool,
    pub approvals_met: bool,
    pub no_conflicts: bool,
    pub up_to_date: bool,
    pub branch_protection_satisfied: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockingIssue {
    pub category: String,
    pub description: String,
    pub action_required: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BranchProtection {
    pub required_approvals: u64,
    pub current_approvals: u64,
    pub required_checks: Vec<String>,
    pub passing_checks: Vec<String>,
    pub failing_checks: Vec<String>,
}
