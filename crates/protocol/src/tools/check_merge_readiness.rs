//! May it be merged, and if not, what stands in the way?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::UnreadablePart;
use crate::MergeRule;
use crate::request::{pull_request, request, required};

request! {
    pub struct CheckMergeReadinessInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
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
    /// Everything that is asked, whether it is there or not: what stands in the
    /// way comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Vec<LedgerEntry>>,
    /// Merges the commit that was looked at, or puts it into the merge queue.
    /// Only when it is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_command: Option<String>,
    /// The ways of merging that all rules allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_methods: Option<Vec<String>>,
    /// The forge's own word for the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_state_status: Option<String>,
    /// The branch whose rules were looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules_of: Option<String>,
    /// What there is to know beside the ledger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What could not be read; it counts as unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadablePart>,
}

/// One thing that is asked before a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerEntry {
    /// Such as `required_check` or `conversations`.
    #[schemars(with = "String")]
    pub rule: MergeRule,
    pub status: RuleStatus,
    /// What is asked, in words.
    pub requirement: String,
    /// Who asks: a branch protection, a ruleset, or the forge itself.
    pub source: String,
    /// The field that proves the status, and its value.
    pub evidence: String,
    /// Who can clear it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleared_by: Option<String>,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The commands that do it, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum RuleStatus {
    Failing,
    /// It cannot be told, which is never the same as satisfied.
    Unknown,
    Satisfied,
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
