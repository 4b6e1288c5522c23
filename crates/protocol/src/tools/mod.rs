//! The tools: what an agent asks, what it gets.
//!
//! One file per tool, each with an input that is read with all its problems
//! at once and an output. "The tool supplies facts and commands; the agent
//! judges."

pub mod analyze_pr_impact;
pub mod check_merge_readiness;
pub mod detect_merge_conflicts;
pub mod detect_project;
mod error_response;
pub mod find_unresolved_comments;
pub mod get_failing_tests;
pub mod get_review_suggestions;
pub mod manage_stacked_prs;
pub mod read_test_report;

pub use error_response::{ErrorCategory, ErrorResponse};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much could go wrong.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    Low,
    Medium,
    High,
}
