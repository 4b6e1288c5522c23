//! The pull-request tools: what is asked about a pull request, answered from
//! GitHub, from git and from CI.
//!
//! One tool per folder, all of the same shape: fetch what is needed, side by
//! side; judge it with functions that know no network; give the output of the
//! contract. "The tool supplies facts and commands; the agent judges."

mod areas;
mod breaking;
mod change;
mod ci_check;
mod comment_on_pull_request;
mod context;
mod failing_tests;
mod generated;
mod get_job_log;
mod get_pull_request_diff;
mod gh;
mod head;
mod impact;
mod land_stack;
mod list_pull_requests;
mod lockdown;
mod mark;
mod merge_conflicts;
mod merge_pull_request;
mod newest;
mod objects;
mod pages;
mod plan_merges;
mod readiness;
mod rerun_failed_jobs;
mod resolve_thread;
mod restack;
mod review;
mod signals;
mod stacked_prs;
mod submit_review;
mod thread_lookup;
mod unreadable;
mod unresolved_comments;
mod update_branch;

pub use comment_on_pull_request::CommentOnPullRequest;
pub use context::{OptionalChecks, PullAccess, PullContext, Subject};
pub use failing_tests::{GetFailingTests, NO_CI};
pub use get_job_log::GetJobLog;
pub use get_pull_request_diff::GetPullRequestDiff;
pub use impact::AnalyzePrImpact;
pub use land_stack::LandStack;
pub use list_pull_requests::ListPullRequests;
pub use merge_conflicts::DetectMergeConflicts;
pub use merge_pull_request::MergePullRequest;
pub(crate) use objects::ObjectsError;
pub use objects::Workplace;
pub use plan_merges::PlanMerges;
pub use readiness::CheckMergeReadiness;
pub use rerun_failed_jobs::RerunFailedJobs;
pub use resolve_thread::ResolveReviewThread;
pub use restack::Restack;
pub use review::GetReviewSuggestions;
pub use stacked_prs::ManageStackedPrs;
pub use submit_review::SubmitReview;
pub use unresolved_comments::FindUnresolvedComments;
pub use update_branch::UpdateBranch;

use crate::operation::AnyOperation;

/// All of them, in the order of the contract; then those that act.
pub fn operations() -> Vec<AnyOperation> {
    vec![
        AnyOperation::from_type::<GetFailingTests>(),
        AnyOperation::from_type::<FindUnresolvedComments>(),
        AnyOperation::from_type::<ManageStackedPrs>(),
        AnyOperation::from_type::<DetectMergeConflicts>(),
        AnyOperation::from_type::<CheckMergeReadiness>(),
        AnyOperation::from_type::<AnalyzePrImpact>(),
        AnyOperation::from_type::<GetReviewSuggestions>(),
        AnyOperation::from_type::<ListPullRequests>(),
        AnyOperation::from_type::<GetPullRequestDiff>(),
        AnyOperation::from_type::<GetJobLog>(),
        AnyOperation::from_type::<CommentOnPullRequest>(),
        AnyOperation::from_type::<SubmitReview>(),
        AnyOperation::from_type::<PlanMerges>(),
        AnyOperation::from_type::<ResolveReviewThread>(),
        AnyOperation::from_type::<UpdateBranch>(),
        AnyOperation::from_type::<RerunFailedJobs>(),
        AnyOperation::from_type::<MergePullRequest>(),
        AnyOperation::from_type::<LandStack>(),
        AnyOperation::from_type::<Restack>(),
    ]
}
