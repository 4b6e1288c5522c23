use async_graphql::Enum;

use super::shows;
use crate::store::check_state::{self, AnnotationLevel, CheckStatus, Conclusion};
use crate::store::deployments;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum CheckAnnotationLevel {
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
pub(in crate::graphql) enum CheckConclusionState {
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
pub(in crate::graphql) enum CheckRunType {
    All,
    Latest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
pub(in crate::graphql) enum CheckStatusState {
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
pub(in crate::graphql) enum DeploymentState {
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
pub(in crate::graphql) enum DeploymentStatusState {
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
pub(in crate::graphql) enum StatusState {
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
pub(in crate::graphql) enum WorkflowState {
    Active,
    Deleted,
    DisabledFork,
    DisabledInactivity,
    DisabledManually,
}
