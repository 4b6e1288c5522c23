//! The tools: what an agent asks, what it gets.
//!
//! One file per tool, each with an input that is read with all its problems
//! at once and an output. "The tool supplies facts and commands; the agent
//! judges."

pub mod analyze_pr_impact;
pub mod answer_workflow;
pub mod cancel_workflow;
pub mod check_merge_readiness;
pub mod detect_merge_conflicts;
pub mod detect_project;
mod error_response;
pub mod find_unresolved_comments;
pub mod get_failing_tests;
pub mod get_review_suggestions;
pub mod get_workflow;
pub mod list_workflows;
pub mod manage_stacked_prs;
pub mod read_test_report;
pub mod resolve_review_thread;
pub mod restack;
pub mod review_change;
pub mod start_workflow;
pub mod workflow;

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
