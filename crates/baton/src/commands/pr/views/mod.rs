//! Answers for people: one file per output, all of the same shape. A person
//! reads the outcome in the first line, the reasons below it, and what to do
//! about it last; nothing of the output is hidden but what only programs need.

mod comment;
mod failing_tests;
mod job_log;
mod landed_stack;
mod merge;
mod merge_conflicts;
mod merge_plan;
mod merge_readiness;
mod phrases;
mod pr_impact;
mod pull_request_diff;
mod pull_requests;
mod rerun_jobs;
mod resolved_thread;
mod restack;
mod review_suggestions;
mod stacked_prs;
mod submitted_review;
mod unresolved_comments;
mod updated_branch;

use std::any::Any;

use baton_protocol::tools::{
    analyze_pr_impact::AnalyzePrImpactOutput, check_merge_readiness::CheckMergeReadinessOutput,
    comment_on_pull_request::CommentOnPullRequestOutput,
    detect_merge_conflicts::DetectMergeConflictsOutput,
    find_unresolved_comments::FindUnresolvedCommentsOutput,
    get_failing_tests::GetFailingTestsOutput, get_job_log::GetJobLogOutput,
    get_pull_request_diff::GetPullRequestDiffOutput,
    get_review_suggestions::GetReviewSuggestionsOutput, land_stack::LandStackOutput,
    list_pull_requests::ListPullRequestsOutput, manage_stacked_prs::ManageStackedPrsOutput,
    merge_pull_request::MergePullRequestOutput, plan_merges::PlanMergesOutput,
    rerun_failed_jobs::RerunFailedJobsOutput, resolve_review_thread::ResolveReviewThreadOutput,
    restack::RestackOutput, submit_review::SubmitReviewOutput, update_branch::UpdateBranchOutput,
};
use serde_json::Value;

use crate::exit::Exit;
use crate::terminal::Page;

pub(super) trait View {
    fn show(&self, page: &mut Page);

    /// What scripts are told. `input` is what was asked.
    fn exit(&self, input: &Value) -> Exit;

    /// Where the next page begins, of an output that has pages.
    fn next_cursor(&self) -> Option<&str> {
        None
    }
}

/// The outputs that have a view.
pub(super) fn for_output(output: &dyn Any) -> Option<&dyn View> {
    let views: &[Downcast] = &[
        view::<GetFailingTestsOutput>,
        view::<FindUnresolvedCommentsOutput>,
        view::<ManageStackedPrsOutput>,
        view::<DetectMergeConflictsOutput>,
        view::<CheckMergeReadinessOutput>,
        view::<AnalyzePrImpactOutput>,
        view::<GetReviewSuggestionsOutput>,
        view::<ListPullRequestsOutput>,
        view::<GetPullRequestDiffOutput>,
        view::<GetJobLogOutput>,
        view::<CommentOnPullRequestOutput>,
        view::<SubmitReviewOutput>,
        view::<PlanMergesOutput>,
        view::<ResolveReviewThreadOutput>,
        view::<UpdateBranchOutput>,
        view::<RerunFailedJobsOutput>,
        view::<MergePullRequestOutput>,
        view::<LandStackOutput>,
        view::<RestackOutput>,
    ];
    views.iter().find_map(|view| view(output))
}

type Downcast = fn(&dyn Any) -> Option<&dyn View>;

fn view<T: View + 'static>(output: &dyn Any) -> Option<&dyn View> {
    output.downcast_ref::<T>().map(|view| view as &dyn View)
}
