//! GitHub's enums and the orders of its lists.

mod checks;
mod issues;
mod orders;
mod pulls;
mod repositories;

pub(super) use checks::{
    CheckAnnotationLevel, CheckConclusionState, CheckRunType, CheckStatusState, DeploymentState,
    DeploymentStatusState, StatusState, WorkflowState,
};
pub(super) use issues::{
    CommentAuthorAssociation, IssueClosedStateReason, IssueState, IssueStateReason, LockReason,
    MilestoneState, ReactionContent, ReportedContentClassifiers,
};
pub(super) use orders::{
    DeploymentOrder, IssueCommentOrder, IssueOrder, IssueOrderField, LabelOrder, LabelOrderField,
    MilestoneOrder, MilestoneOrderField, OrderDirection, RefOrder, RefOrderField, RepositoryOrder,
    RepositoryOrderField, TeamOrder,
};
pub(super) use pulls::{
    DiffSide, MergeQueueEntryState, MergeStateStatus, MergeableState, PatchStatus,
    PullRequestBranchUpdateMethod, PullRequestMergeMethod, PullRequestReviewCommentState,
    PullRequestReviewDecision, PullRequestReviewEvent, PullRequestReviewState,
    PullRequestReviewThreadSubjectType, PullRequestState, PullRequestUpdateState,
};
pub(super) use repositories::{
    GitSignatureState, RepositoryAffiliation, RepositoryPermission, RepositoryPrivacy,
    RepositoryVisibility, SearchType,
};

/// An enum of GitHub's with the rows' enum that it shows.
macro_rules! shows {
    ($name:ident of $row:path { $($variant:ident = $shown:ident),* $(,)? }) => {
        impl From<$row> for $name {
            fn from(row: $row) -> Self {
                match row {
                    $(<$row>::$variant => Self::$shown,)*
                }
            }
        }
    };
}
use shows;
