use async_graphql::Enum;

use super::shows;
use crate::actions::pulls::MergeState;
use crate::actions::rules::merges::ReviewDecision;
use crate::git::FileStatus;
use crate::store::issue_lists::ListedState;
use crate::store::pulls::MergeMethod;
use crate::store::review_threads::{Side, Subject};
use crate::store::reviews::ReviewState;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum DiffSide {
    Left,
    Right,
}

shows!(DiffSide of Side { Left = Left, Right = Right });

impl From<DiffSide> for Side {
    fn from(side: DiffSide) -> Self {
        match side {
            DiffSide::Left => Self::Left,
            DiffSide::Right => Self::Right,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum MergeQueueEntryState {
    Queued,
    AwaitingChecks,
    Mergeable,
    Unmergeable,
    Locked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum MergeStateStatus {
    Dirty,
    Unknown,
    Blocked,
    Behind,
    #[graphql(
        deprecation = "DRAFT state will be removed from this enum and `isDraft` should be used instead."
    )]
    Draft,
    Unstable,
    HasHooks,
    Clean,
}

shows!(MergeStateStatus of MergeState {
    Behind = Behind,
    Blocked = Blocked,
    Clean = Clean,
    Dirty = Dirty,
    Draft = Draft,
    Unknown = Unknown,
    Unstable = Unstable,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum MergeableState {
    Mergeable,
    Conflicting,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum PatchStatus {
    Added,
    Deleted,
    Renamed,
    Copied,
    Modified,
    Changed,
}

shows!(PatchStatus of FileStatus {
    Added = Added,
    Removed = Deleted,
    Renamed = Renamed,
    Copied = Copied,
    Modified = Modified,
    Changed = Changed,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum PullRequestBranchUpdateMethod {
    Merge,
    Rebase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum PullRequestMergeMethod {
    Merge,
    Squash,
    Rebase,
}

shows!(PullRequestMergeMethod of MergeMethod {
    Merge = Merge,
    Squash = Squash,
    Rebase = Rebase,
});

impl From<PullRequestMergeMethod> for MergeMethod {
    fn from(method: PullRequestMergeMethod) -> Self {
        match method {
            PullRequestMergeMethod::Merge => Self::Merge,
            PullRequestMergeMethod::Squash => Self::Squash,
            PullRequestMergeMethod::Rebase => Self::Rebase,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum PullRequestReviewCommentState {
    Pending,
    Submitted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum PullRequestReviewDecision {
    ChangesRequested,
    Approved,
    ReviewRequired,
}

shows!(PullRequestReviewDecision of ReviewDecision {
    Approved = Approved,
    ChangesRequested = ChangesRequested,
    ReviewRequired = ReviewRequired,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum PullRequestReviewEvent {
    Comment,
    Approve,
    RequestChanges,
    Dismiss,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum PullRequestReviewState {
    Pending,
    Commented,
    Approved,
    ChangesRequested,
    Dismissed,
}

shows!(PullRequestReviewState of ReviewState {
    Pending = Pending,
    Commented = Commented,
    Approved = Approved,
    ChangesRequested = ChangesRequested,
    Dismissed = Dismissed,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum PullRequestReviewThreadSubjectType {
    Line,
    File,
}

shows!(PullRequestReviewThreadSubjectType of Subject { Line = Line, File = File });

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum PullRequestState {
    Open,
    Closed,
    Merged,
}

impl From<PullRequestState> for ListedState {
    fn from(state: PullRequestState) -> Self {
        match state {
            PullRequestState::Open => Self::Open,
            PullRequestState::Closed => Self::Closed,
            PullRequestState::Merged => Self::Merged,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum PullRequestUpdateState {
    Open,
    Closed,
}
