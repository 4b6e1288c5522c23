//! What went wrong in a step, as the workflow wants to know it: what can be done
//! about it, and a sentence for a person.

use std::fmt::Display;
use std::io;
use std::time::Duration;

use baton_engine::agent::AgentError;
use baton_engine::{EngineError, StepResult};
use baton_host::cmd::CmdError;
use baton_host::git::{GitError, RemoteErrorKind};
use baton_ops::{Fault, OpError};
use baton_protocol::error_chain;
use baton_remote::github::{GitHubError, GitHubErrorKind};
use baton_workflow::{Failure, FailureKind, Objection, Report, Usage};

use crate::AgentStep;
use crate::acceptance;

/// Between the polite signal and the final one, for what a process that died
/// left behind.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// A failure that all errors on the way can become with `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepError(pub(crate) Failure);

impl StepError {
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self(Failure::new(kind, message))
    }

    /// Something outside has to happen first.
    pub(crate) fn blocked(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Blocked, message)
    }

    /// Trying again would not help.
    pub(crate) fn permanent(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Permanent, message)
    }

    /// What was handed over does not hold.
    pub(crate) fn rejected(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Rejected, message)
    }

    /// The agent says that the work is done, and there is no evidence.
    pub(crate) fn unproven(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Unproven, message)
    }

    /// The evidence speaks against the work; a person who knows better may
    /// accept it, as a whole.
    pub(crate) fn objection(message: impl Into<String>) -> Self {
        let message = message.into();
        let whole = acceptance::objection("evidence", &message, &message);
        Self::objections(message, vec![whole])
    }

    /// The same for several things, which are accepted one by one.
    pub(crate) fn objections(message: impl Into<String>, mut objections: Vec<Objection>) -> Self {
        /// The rest is asked about when these are dealt with.
        const MAX_OBJECTIONS: usize = 50;
        objections.truncate(MAX_OBJECTIONS);
        let mut error = Self::unproven(message);
        error.0.acceptable = true;
        error.0.objections = objections;
        error
    }

    /// Lets pass what a person has accepted.
    pub(crate) fn unless_accepted(
        checked: Result<(), Self>,
        step: &AgentStep<'_>,
    ) -> Result<(), Self> {
        let is_accepted = |error: &Self| {
            let objections = &error.0.objections;
            error.0.acceptable
                && !objections.is_empty()
                && step.unaccepted(objections.clone()).is_empty()
        };
        match checked {
            Err(error) if is_accepted(&error) => Ok(()),
            checked => checked,
        }
    }

    /// Something that was handed over could not be looked at; if it is not
    /// there, it was a false claim.
    pub(crate) fn unless_there(what: impl Display, error: GitHubError) -> Self {
        match error.kind() {
            GitHubErrorKind::NotFound { .. } | GitHubErrorKind::Gone { .. } => {
                Self::rejected(format!("{what} was handed over, and is not there"))
            }
            _ => error.into(),
        }
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(FailureKind::Cancelled, "the step was ended early")
    }

    /// A file could not be read or written. `doing` completes "cannot …".
    pub(crate) fn file(doing: impl Display, error: &io::Error) -> Self {
        let message = format!("cannot {doing}: {error}");
        match error.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::ReadOnlyFilesystem => {
                Self::blocked(format!("{message}; make room there"))
            }
            _ => Self::permanent(message),
        }
    }
}

impl From<Failure> for StepError {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl From<GitHubError> for StepError {
    fn from(error: GitHubError) -> Self {
        let message = format!("{}. {}", error_chain(&error), error.hint());
        if error.is_transient() {
            let mut failure = Failure::new(FailureKind::Transient, message);
            failure.retry_after = error.retry_after();
            return Self(failure);
        }
        let kind = match error.kind() {
            GitHubErrorKind::RateLimited(_) | GitHubErrorKind::ServerError { .. } => {
                FailureKind::Transient
            }
            // Someone has to give a permission, or things have to change there.
            GitHubErrorKind::NoCredentials
            | GitHubErrorKind::BadCredentials { .. }
            | GitHubErrorKind::MissingScopes { .. }
            | GitHubErrorKind::SingleSignOn { .. }
            | GitHubErrorKind::NotPermitted { .. }
            | GitHubErrorKind::RepositoryHidden { .. }
            | GitHubErrorKind::Blocked { .. }
            | GitHubErrorKind::Archived
            | GitHubErrorKind::Refused { .. } => FailureKind::Blocked,
            GitHubErrorKind::NotFound { .. }
            | GitHubErrorKind::RepositoryRenamed { .. }
            | GitHubErrorKind::Invalid { .. }
            | GitHubErrorKind::Gone { .. }
            | GitHubErrorKind::UnknownToServer { .. }
            | GitHubErrorKind::TooManyNodes { .. }
            | GitHubErrorKind::GraphQl(_)
            | GitHubErrorKind::UnexpectedAnswer { .. }
            | GitHubErrorKind::Archive(_)
            | GitHubErrorKind::Http(_) => FailureKind::Permanent,
        };
        Self::new(kind, message)
    }
}

impl From<GitError> for StepError {
    fn from(error: GitError) -> Self {
        let kind = match &error {
            GitError::Cancelled { .. } => return Self::cancelled(),
            GitError::TimedOut { .. } => FailureKind::Stalled,
            GitError::Remote { kind, .. } => match kind {
                RemoteErrorKind::Network | RemoteErrorKind::Server => FailureKind::Transient,
                RemoteErrorKind::NotFound
                | RemoteErrorKind::Authentication
                | RemoteErrorKind::Permission
                | RemoteErrorKind::HostKey => FailureKind::Blocked,
                RemoteErrorKind::Other => FailureKind::Permanent,
            },
            GitError::Start { .. }
            | GitError::Failed { .. }
            | GitError::NotARepository { .. }
            | GitError::Unusable { .. }
            | GitError::TooOld { .. }
            | GitError::BadName { .. }
            | GitError::NoSuch { .. }
            | GitError::TooLarge { .. }
            | GitError::Unreadable { .. }
            | GitError::File { .. } => FailureKind::Permanent,
        };
        Self::new(kind, error_chain(&error))
    }
}

impl From<CmdError> for StepError {
    fn from(error: CmdError) -> Self {
        Self::permanent(error_chain(&error))
    }
}

impl From<AgentError> for StepError {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Evidence(error) => error.into(),
            other => Self(other.into_failure()),
        }
    }
}

impl From<EngineError> for StepError {
    fn from(error: EngineError) -> Self {
        Self::permanent(error_chain(&error))
    }
}

impl From<OpError> for StepError {
    fn from(error: OpError) -> Self {
        let (response, fault) = match error {
            OpError::Cancelled => return Self::cancelled(),
            OpError::BadCursor(error) => return Self::permanent(error.to_string()),
            OpError::Failed { response, fault } => (response, fault),
        };
        let kind = match fault {
            Fault::Caller => FailureKind::Permanent,
            Fault::Local => FailureKind::Blocked,
            Fault::Remote => FailureKind::Transient,
        };
        let mut failure = Failure::new(kind, response.error);
        failure.retry_after = response.retry_after.map(Duration::from_secs);
        Self(failure)
    }
}

/// What a step gives back to the engine.
pub(crate) fn result(outcome: Result<Report, StepError>, usage: Usage) -> StepResult {
    StepResult {
        outcome: outcome.map_err(|error| error.0),
        usage,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_something_that_someone_can_change() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = StepError::file("copy .env", &full);
        assert_eq!(error.0.kind, FailureKind::Blocked);
        insta::assert_snapshot!(error.0.message, @"cannot copy .env: no storage space; make room there");
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let error = StepError::file("copy .env", &missing);
        assert_eq!(error.0.kind, FailureKind::Permanent);
    }

    #[test]
    fn only_what_passes_by_itself_is_tried_again() {
        let remote = |kind| {
            StepError::from(GitError::Remote {
                doing: "push".to_owned(),
                remote: "origin".to_owned(),
                kind,
                stderr: String::new(),
            })
        };
        assert_eq!(
            remote(RemoteErrorKind::Network).0.kind,
            FailureKind::Transient
        );
        assert_eq!(
            remote(RemoteErrorKind::Permission).0.kind,
            FailureKind::Blocked
        );
        assert_eq!(
            remote(RemoteErrorKind::Other).0.kind,
            FailureKind::Permanent
        );
        let cancelled = GitError::Cancelled {
            doing: "push".to_owned(),
        };
        assert_eq!(StepError::from(cancelled).0.kind, FailureKind::Cancelled);
    }
}
