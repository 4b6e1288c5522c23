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
mod context;
mod failing_tests;
mod gh;
mod impact;
mod list_pull_requests;
mod merge_conflicts;
mod objects;
mod pages;
mod plan_merges;
mod readiness;
mod resolve_thread;
mod restack;
mod review;
mod signals;
mod stacked_prs;
mod unresolved_comments;

pub use context::{OptionalChecks, PullAccess, PullContext, Subject};
pub use failing_tests::{GetFailingTests, NO_CI};
pub use impact::AnalyzePrImpact;
pub use list_pull_requests::ListPullRequests;
pub use merge_conflicts::DetectMergeConflicts;
pub(crate) use objects::ObjectsError;
pub use objects::Workplace;
pub use plan_merges::PlanMerges;
pub use readiness::CheckMergeReadiness;
pub use resolve_thread::ResolveReviewThread;
pub use restack::Restack;
pub use review::GetReviewSuggestions;
pub use stacked_prs::ManageStackedPrs;
pub use unresolved_comments::FindUnresolvedComments;

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
        AnyOperation::from_type::<PlanMerges>(),
        AnyOperation::from_type::<ResolveReviewThread>(),
        AnyOperation::from_type::<Restack>(),
    ]
}
