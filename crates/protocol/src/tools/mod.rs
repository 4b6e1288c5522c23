//! The tools: what an agent asks, what it gets.
//!
//! One file per tool, each with an input that is read with all its problems
//! at once and an output. "The tool supplies facts and commands; the agent
//! judges."

pub mod analyze_pr_impact;
pub mod answer_workflow;
pub mod cancel_workflow;
pub mod check_merge_readiness;
pub mod comment_on_pull_request;
pub mod detect_merge_conflicts;
pub mod detect_project;
mod error_response;
pub mod find_unresolved_comments;
pub mod get_failing_tests;
pub mod get_job_log;
pub mod get_pull_request_diff;
pub mod get_review_suggestions;
pub mod get_workflow;
pub mod land_stack;
pub mod list_pull_requests;
pub mod list_workflows;
pub mod manage_stacked_prs;
pub mod merge_pull_request;
pub mod plan_merges;
pub mod read_test_report;
pub mod rerun_failed_jobs;
pub mod resolve_review_thread;
pub mod restack;
pub mod review_change;
pub mod start_workflow;
pub mod submit_review;
pub mod tend_pull_request;
mod unreadable;
pub mod update_branch;
pub mod workflow;

pub use error_response::{ErrorCategory, ErrorResponse};
pub use unreadable::UnreadablePart;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::detection::Project;
use crate::report::TestReport;
use crate::review::ReviewReport;
use crate::schema::{Entry, entry};

/// The types of the tools, in the order in which they are listed.
pub(crate) static ENTRIES: &[Entry] = &[
    entry!(input "get_failing_tests.input": get_failing_tests::GetFailingTestsInput),
    entry!(output "get_failing_tests.output": get_failing_tests::GetFailingTestsOutput),
    entry!(input "find_unresolved_comments.input": find_unresolved_comments::FindUnresolvedCommentsInput),
    entry!(output "find_unresolved_comments.output": find_unresolved_comments::FindUnresolvedCommentsOutput),
    entry!(input "manage_stacked_prs.input": manage_stacked_prs::ManageStackedPrsInput),
    entry!(output "manage_stacked_prs.output": manage_stacked_prs::ManageStackedPrsOutput),
    entry!(input "restack.input": restack::RestackInput),
    entry!(output "restack.output": restack::RestackOutput),
    entry!(input "detect_merge_conflicts.input": detect_merge_conflicts::DetectMergeConflictsInput),
    entry!(output "detect_merge_conflicts.output": detect_merge_conflicts::DetectMergeConflictsOutput),
    entry!(input "check_merge_readiness.input": check_merge_readiness::CheckMergeReadinessInput),
    entry!(output "check_merge_readiness.output": check_merge_readiness::CheckMergeReadinessOutput),
    entry!(input "analyze_pr_impact.input": analyze_pr_impact::AnalyzePrImpactInput),
    entry!(output "analyze_pr_impact.output": analyze_pr_impact::AnalyzePrImpactOutput),
    entry!(input "get_review_suggestions.input": get_review_suggestions::GetReviewSuggestionsInput),
    entry!(output "get_review_suggestions.output": get_review_suggestions::GetReviewSuggestionsOutput),
    entry!(input "list_pull_requests.input": list_pull_requests::ListPullRequestsInput),
    entry!(output "list_pull_requests.output": list_pull_requests::ListPullRequestsOutput),
    entry!(input "get_pull_request_diff.input": get_pull_request_diff::GetPullRequestDiffInput),
    entry!(output "get_pull_request_diff.output": get_pull_request_diff::GetPullRequestDiffOutput),
    entry!(input "get_job_log.input": get_job_log::GetJobLogInput),
    entry!(output "get_job_log.output": get_job_log::GetJobLogOutput),
    entry!(input "comment_on_pull_request.input": comment_on_pull_request::CommentOnPullRequestInput),
    entry!(output "comment_on_pull_request.output": comment_on_pull_request::CommentOnPullRequestOutput),
    entry!(input "submit_review.input": submit_review::SubmitReviewInput),
    entry!(output "submit_review.output": submit_review::SubmitReviewOutput),
    entry!(input "update_branch.input": update_branch::UpdateBranchInput),
    entry!(output "update_branch.output": update_branch::UpdateBranchOutput),
    entry!(input "rerun_failed_jobs.input": rerun_failed_jobs::RerunFailedJobsInput),
    entry!(output "rerun_failed_jobs.output": rerun_failed_jobs::RerunFailedJobsOutput),
    entry!(input "merge_pull_request.input": merge_pull_request::MergePullRequestInput),
    entry!(output "merge_pull_request.output": merge_pull_request::MergePullRequestOutput),
    entry!(input "land_stack.input": land_stack::LandStackInput),
    entry!(output "land_stack.output": land_stack::LandStackOutput),
    entry!(input "plan_merges.input": plan_merges::PlanMergesInput),
    entry!(output "plan_merges.output": plan_merges::PlanMergesOutput),
    entry!(input "resolve_review_thread.input": resolve_review_thread::ResolveReviewThreadInput),
    entry!(output "resolve_review_thread.output": resolve_review_thread::ResolveReviewThreadOutput),
    entry!(input "start_workflow.input": start_workflow::StartWorkflowInput),
    entry!(output "start_workflow.output": workflow::Workflow),
    entry!(input "tend_pull_request.input": tend_pull_request::TendPullRequestInput),
    entry!(output "tend_pull_request.output": workflow::Workflow),
    entry!(input "get_workflow.input": get_workflow::GetWorkflowInput),
    entry!(output "get_workflow.output": workflow::Workflow),
    entry!(input "answer_workflow.input": answer_workflow::AnswerWorkflowInput),
    entry!(output "answer_workflow.output": workflow::Workflow),
    entry!(input "cancel_workflow.input": cancel_workflow::CancelWorkflowInput),
    entry!(output "cancel_workflow.output": workflow::Workflow),
    entry!(input "list_workflows.input": list_workflows::ListWorkflowsInput),
    entry!(output "list_workflows.output": list_workflows::ListWorkflowsOutput),
    entry!(output "error": ErrorResponse),
    entry!(output "report.output": TestReport),
    entry!(output "detect.output": Project),
    entry!(input "read_test_report.input": read_test_report::ReadTestReportInput),
    entry!(input "detect_project.input": detect_project::DetectProjectInput),
    entry!(input "review_change.input": review_change::ReviewChangeInput),
    entry!(output "review.output": ReviewReport),
];

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
