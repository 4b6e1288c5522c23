//! Why an operation has no output.

use baton_host::git::{GitError, RemoteErrorKind};
use baton_protocol::cursor::BadCursor;
use baton_protocol::error_chain;
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use baton_protocol::{BadReference, Problems};
use baton_remote::github::{GitHubError, GitHubErrorKind};

use crate::pulls::ObjectsError;

#[derive(Debug)]
pub enum OpError {
    /// The cursor belongs to another call.
    BadCursor(BadCursor),
    Failed {
        response: Box<ErrorResponse>,
        fault: Fault,
    },
    /// The caller no longer waits.
    Cancelled,
}

/// Who can do something about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The caller, with other input.
    Caller,
    /// Something is missing on this machine: a credential, a program, access.
    Local,
    /// The server.
    Remote,
}

impl OpError {
    pub fn new(fault: Fault, response: ErrorResponse) -> Self {
        Self::Failed {
            response: Box::new(response),
            fault,
        }
    }

    pub fn failed(
        fault: Fault,
        category: ErrorCategory,
        error: impl Into<String>,
        suggestion: impl Into<String>,
    ) -> Self {
        Self::new(
            fault,
            ErrorResponse::new(category, error).suggest(suggestion),
        )
    }

    /// The question makes no sense as the facts stand.
    pub(crate) fn logical(error: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self::failed(Fault::Caller, ErrorCategory::Logical, error, suggestion)
    }

    pub(crate) fn invalid_input(problems: &Problems) -> Self {
        Self::new(Fault::Caller, ErrorResponse::invalid_input(problems))
    }

    /// Input that the caller can correct.
    pub fn refused(error: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self::failed(Fault::Caller, ErrorCategory::User, error, suggestion)
    }

    /// Something that is missing on this machine.
    pub fn local(error: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self::failed(Fault::Local, ErrorCategory::User, error, suggestion)
    }

    /// In one sentence or two.
    pub fn sentence(&self) -> String {
        match self {
            Self::Failed { response, .. } => match &response.suggestion {
                Some(next) => format!("{}. {next}", response.error.trim_end_matches('.')),
                None => response.error.clone(),
            },
            Self::Cancelled => "it was cancelled".to_owned(),
            Self::BadCursor(error) => error.to_string(),
        }
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is the end of an error's way"
    )]
    pub(crate) fn bad_reference(error: BadReference) -> Self {
        let response = ErrorResponse::new(ErrorCategory::User, error.to_string());
        Self::new(Fault::Caller, response)
    }
}

impl From<BadCursor> for OpError {
    fn from(error: BadCursor) -> Self {
        Self::BadCursor(error)
    }
}

impl From<GitHubError> for OpError {
    fn from(error: GitHubError) -> Self {
        let fault = match (error.kind(), error.category()) {
            (GitHubErrorKind::NotFound { .. }, _) | (_, ErrorCategory::User) => Fault::Local,
            (_, ErrorCategory::Logical) => Fault::Caller,
            (_, ErrorCategory::Api) => Fault::Remote,
        };
        let retry_after = error.retry_after().map(|wait| wait.as_secs().max(1));
        let mut response = match (error.kind(), retry_after) {
            (GitHubErrorKind::RateLimited(_), Some(seconds)) => {
                ErrorResponse::rate_limited(seconds)
            }
            _ => ErrorResponse::new(error.category(), error_chain(&error)).suggest(error.hint()),
        };
        response.retry_after = retry_after;
        Self::new(fault, response)
    }
}

impl From<GitError> for OpError {
    fn from(error: GitError) -> Self {
        let (category, fault) = match &error {
            GitError::Cancelled { .. } => return Self::Cancelled,
            GitError::Remote { kind, .. } => match kind {
                RemoteErrorKind::Network | RemoteErrorKind::Server | RemoteErrorKind::Other => {
                    (ErrorCategory::Api, Fault::Remote)
                }
                RemoteErrorKind::NotFound
                | RemoteErrorKind::Authentication
                | RemoteErrorKind::Permission
                | RemoteErrorKind::HostKey => (ErrorCategory::User, Fault::Local),
            },
            _ => (ErrorCategory::User, Fault::Local),
        };
        Self::new(fault, ErrorResponse::new(category, error_chain(&error)))
    }
}

impl From<ObjectsError> for OpError {
    fn from(error: ObjectsError) -> Self {
        match error {
            ObjectsError::Git(error) => error.into(),
            ObjectsError::Folder { .. } => Self::local(
                error_chain(&error),
                "Set state.dir to a folder that can be written.",
            ),
            ObjectsError::Gone { .. } => Self::failed(
                Fault::Remote,
                ErrorCategory::Logical,
                error.to_string(),
                "The branch was probably pushed to meanwhile; ask again.",
            ),
        }
    }
}
