//! GitHub's enums and the orders of its lists.

use async_graphql::{Enum, InputObject};

use crate::actions::pulls::MergeState;
use crate::actions::rules::merges::ReviewDecision;
use crate::git::FileStatus;
use crate::store::check_state::{self, AnnotationLevel, CheckStatus, Conclusion};
use crate::store::deployments;
use crate::store::issue_lists::{ListSort, ListedState};
use crate::store::pulls::MergeMethod;
use crate::store::repositories::Permission;
use crate::store::review_threads::{Side, Subject};
use crate::store::reviews::ReviewState;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum OrderDirection {
    Asc,
    Desc,
}

/// `{ field: …, direction: … }`, which every list has for its own fields.
macro_rules! orders {
    ($($order:ident by $field:ident { $($variant:ident),* $(,)? })*) => {$(
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
        pub(super) enum $field {
            $($variant,)*
        }

        #[derive(Debug, Clone, Copy, InputObject)]
        pub(super) struct $order {
            pub(super) field: $field,
            pub(super) direction: OrderDirection,
        }

        impl $order {
            pub(super) fn is_descending(&self) -> bool {
                self.direction == OrderDirection::Desc
            }
        }
    )*};
}

orders! {
    DeploymentOrder by DeploymentOrderField { CreatedAt }
    IssueCommentOrder by IssueCommentOrderField { UpdatedAt }
    IssueOrder by IssueOrderField { CreatedAt, UpdatedAt, Comments }
    LabelOrder by LabelOrderField { Name, CreatedAt }
    MilestoneOrder by MilestoneOrderField { DueDate, CreatedAt, UpdatedAt, Number }
    RefOrder by RefOrderField { TagCommitDate, Alphabetical }
    RepositoryOrder by RepositoryOrderField { CreatedAt, UpdatedAt, PushedAt, Name, Stargazers }
    TeamOrder by TeamOrderField { Name }
}

impl From<IssueOrderField> for ListSort {
    fn from(field: IssueOrderField) -> Self {
        match field {
            IssueOrderField::CreatedAt => Self::Created,
            IssueOrderField::UpdatedAt => Self::Updated,
            IssueOrderField::Comments => Self::Comments,
        }
    }
}

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum CheckAnnotationLevel {
    Failure,
    Notice,
    Warning,
}

shows!(CheckAnnotationLevel of AnnotationLevel {
    Failure = Failure,
    Notice = Notice,
    Warning = Warning,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum CheckConclusionState {
    ActionRequired,
    TimedOut,
    Cancelled,
    Failure,
    Success,
    Neutral,
    Skipped,
    StartupFailure,
    Stale,
}

shows!(CheckConclusionState of Conclusion {
    ActionRequired = ActionRequired,
    TimedOut = TimedOut,
    Cancelled = Cancelled,
    Failure = Failure,
    Success = Success,
    Neutral = Neutral,
    Skipped = Skipped,
    StartupFailure = StartupFailure,
    Stale = Stale,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum CheckRunType {
    All,
    Latest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum CheckStatusState {
    Requested,
    Queued,
    InProgress,
    Completed,
    Waiting,
    Pending,
}

shows!(CheckStatusState of CheckStatus {
    Requested = Requested,
    Queued = Queued,
    InProgress = InProgress,
    Completed = Completed,
    Waiting = Waiting,
    Pending = Pending,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum CommentAuthorAssociation {
    Member,
    Owner,
    Mannequin,
    Collaborator,
    Contributor,
    FirstTimeContributor,
    FirstTimer,
    None,
}

impl CommentAuthorAssociation {
    /// REST's word.
    pub(super) fn of(word: &str) -> Self {
        match word {
            "OWNER" => Self::Owner,
            "MEMBER" => Self::Member,
            "COLLABORATOR" => Self::Collaborator,
            "CONTRIBUTOR" => Self::Contributor,
            _ => Self::None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum DeploymentState {
    Abandoned,
    Active,
    Destroyed,
    Error,
    Failure,
    Inactive,
    InProgress,
    Pending,
    Queued,
    Success,
    Waiting,
}

// A deployment that succeeded is what runs now.
shows!(DeploymentState of deployments::DeploymentState {
    Error = Error,
    Failure = Failure,
    Inactive = Inactive,
    Pending = Pending,
    Success = Active,
    Queued = Queued,
    InProgress = InProgress,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum DeploymentStatusState {
    Error,
    Failure,
    Inactive,
    InProgress,
    Pending,
    Queued,
    Success,
    Waiting,
}

shows!(DeploymentStatusState of deployments::DeploymentState {
    Error = Error,
    Failure = Failure,
    Inactive = Inactive,
    Pending = Pending,
    Success = Success,
    Queued = Queued,
    InProgress = InProgress,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum DiffSide {
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
pub(super) enum GitSignatureState {
    UnknownKey,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum IssueClosedStateReason {
    Completed,
    NotPlanned,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum IssueState {
    Open,
    Closed,
}

impl From<IssueState> for ListedState {
    fn from(state: IssueState) -> Self {
        match state {
            IssueState::Open => Self::Open,
            IssueState::Closed => Self::Closed,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum IssueStateReason {
    Reopened,
    NotPlanned,
    Completed,
}

impl IssueStateReason {
    /// A duplicate is one that is not planned, for clients that do not ask for
    /// more.
    pub(super) fn of(reason: &str) -> Option<Self> {
        match reason {
            "reopened" => Some(Self::Reopened),
            "completed" => Some(Self::Completed),
            "not_planned" | "duplicate" => Some(Self::NotPlanned),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum LockReason {
    OffTopic,
    TooHeated,
    Resolved,
    Spam,
}

impl LockReason {
    pub(super) fn of(reason: &str) -> Option<Self> {
        match reason {
            "off-topic" => Some(Self::OffTopic),
            "too heated" => Some(Self::TooHeated),
            "resolved" => Some(Self::Resolved),
            "spam" => Some(Self::Spam),
            _ => None,
        }
    }

    /// REST's word, which the rows have.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::OffTopic => "off-topic",
            Self::TooHeated => "too heated",
            Self::Resolved => "resolved",
            Self::Spam => "spam",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum MergeQueueEntryState {
    Queued,
    AwaitingChecks,
    Mergeable,
    Unmergeable,
    Locked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum MergeStateStatus {
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
pub(super) enum MergeableState {
    Mergeable,
    Conflicting,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum MilestoneState {
    Open,
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum PatchStatus {
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
pub(super) enum PullRequestBranchUpdateMethod {
    Merge,
    Rebase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum PullRequestMergeMethod {
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
pub(super) enum PullRequestReviewCommentState {
    Pending,
    Submitted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum PullRequestReviewDecision {
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
pub(super) enum PullRequestReviewEvent {
    Comment,
    Approve,
    RequestChanges,
    Dismiss,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum PullRequestReviewState {
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
pub(super) enum PullRequestReviewThreadSubjectType {
    Line,
    File,
}

shows!(PullRequestReviewThreadSubjectType of Subject { Line = Line, File = File });

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum PullRequestState {
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
pub(super) enum PullRequestUpdateState {
    Open,
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum ReactionContent {
    ThumbsUp,
    ThumbsDown,
    Laugh,
    Hooray,
    Confused,
    Heart,
    Rocket,
    Eyes,
}

impl ReactionContent {
    /// In the order in which GitHub lists them.
    pub(super) const ALL: [Self; 8] = [
        Self::ThumbsUp,
        Self::ThumbsDown,
        Self::Laugh,
        Self::Hooray,
        Self::Confused,
        Self::Heart,
        Self::Rocket,
        Self::Eyes,
    ];

    /// REST's word, which the rows have.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::ThumbsUp => "+1",
            Self::ThumbsDown => "-1",
            Self::Laugh => "laugh",
            Self::Hooray => "hooray",
            Self::Confused => "confused",
            Self::Heart => "heart",
            Self::Rocket => "rocket",
            Self::Eyes => "eyes",
        }
    }

    pub(super) fn of(content: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|known| known.as_str() == content)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum ReportedContentClassifiers {
    Spam,
    Abuse,
    OffTopic,
    Outdated,
    Duplicate,
    Resolved,
}

impl ReportedContentClassifiers {
    /// As `minimizedReason` gives it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Spam => "spam",
            Self::Abuse => "abuse",
            Self::OffTopic => "off-topic",
            Self::Outdated => "outdated",
            Self::Duplicate => "duplicate",
            Self::Resolved => "resolved",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum RepositoryAffiliation {
    Owner,
    Collaborator,
    OrganizationMember,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum RepositoryPermission {
    Admin,
    Maintain,
    Write,
    Triage,
    Read,
}

impl RepositoryPermission {
    pub(super) fn of(permission: Permission) -> Option<Self> {
        match permission {
            Permission::None => None,
            Permission::Read => Some(Self::Read),
            Permission::Triage => Some(Self::Triage),
            Permission::Write => Some(Self::Write),
            Permission::Maintain => Some(Self::Maintain),
            Permission::Admin => Some(Self::Admin),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum RepositoryPrivacy {
    Public,
    Private,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum RepositoryVisibility {
    Private,
    Public,
    Internal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum SearchType {
    Issue,
    Repository,
    User,
    Discussion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum StatusState {
    Expected,
    Error,
    Failure,
    Pending,
    Success,
}

shows!(StatusState of check_state::StatusState {
    Error = Error,
    Failure = Failure,
    Pending = Pending,
    Success = Success,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(super) enum WorkflowState {
    Active,
    Deleted,
    DisabledFork,
    DisabledInactivity,
    DisabledManually,
}
