//! What a tool answers when it cannot do its work.

use baton_host::git::{GitError, RemoteErrorKind};
use baton_protocol::cursor::BadCursor;
use baton_protocol::error_chain;
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use baton_protocol::{BadReference, Problems};
use baton_remote::github::{GitHubError, GitHubErrorKind};

use super::objects::ObjectsError;

#[derive(Debug)]
pub enum ToolError {
    /// The arguments are not ones that could ever work with this tool.
    BadCursor(BadCursor),
    Failed {
        response: Box<ErrorResponse>,
        whose: Whose,
    },
    /// Whoever asked no longer waits.
    Cancelled,
}

/// Who has to do something about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The caller asked wrongly.
    Question,
    /// Something is missing here: a credential, a program, access.
    Here,
    /// The other side.
    OtherSide,
}

impl ToolError {
    pub(super) fn new(whose: Whose, response: ErrorResponse) -> Self {
        Self::Failed {
            response: Box::new(response),
            whose,
        }
    }

    /// The question makes no sense as the facts stand.
    pub(super) fn logical(error: impl Into<String>, suggestion: impl Into<String>) -> Self {
        let response = ErrorResponse::new(ErrorCategory::Logical, error).suggest(suggestion);
        Self::new(Whose::Question, response)
    }

    pub(super) fn invalid_input(problems: &Problems) -> Self {
        Self::new(Whose::Question, ErrorResponse::invalid_input(problems))
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is the end of an error's way"
    )]
    pub(super) fn bad_reference(error: BadReference) -> Self {
        let response = ErrorResponse::new(ErrorCategory::User, error.to_string());
        Self::new(Whose::Question, response)
    }
}

impl From<BadCursor> for ToolError {
    fn from(error: BadCursor) -> Self {
        Self::BadCursor(error)
    }
}

impl From<GitHubError> for ToolError {
    fn from(error: GitHubError) -> Self {
        let whose = match (error.kind(), error.category()) {
            (GitHubErrorKind::NotFound { .. }, _) | (_, ErrorCategory::User) => Whose::Here,
            (_, ErrorCategory::Logical) => Whose::Question,
            (_, ErrorCategory::Api) => Whose::OtherSide,
        };
        let retry_after = error.retry_after().map(|wait| wait.as_secs().max(1));
        let mut response = match (error.kind(), retry_after) {
            (GitHubErrorKind::RateLimited(_), Some(seconds)) => {
                ErrorResponse::rate_limited(seconds)
            }
            _ => ErrorResponse::new(error.category(), error_chain(&error)).suggest(error.hint()),
        };
        response.retry_after = retry_after;
        Self::new(whose, response)
    }
}

impl From<GitError> for ToolError {
    fn from(error: GitError) -> Self {
        let (category, whose) = match &error {
            GitError::Cancelled { .. } => return Self::Cancelled,
            GitError::Remote { kind, .. } => match kind {
                RemoteErrorKind::Network | RemoteErrorKind::Server | RemoteErrorKind::Other => {
                    (ErrorCategory::Api, Whose::OtherSide)
                }
                RemoteErrorKind::NotFound
                | RemoteErrorKind::Authentication
                | RemoteErrorKind::Permission
                | RemoteErrorKind::HostKey => (ErrorCategory::User, Whose::Here),
            },
            _ => (ErrorCategory::User, Whose::Here),
        };
        Self::new(whose, ErrorResponse::new(category, error_chain(&error)))
    }
}

impl From<ObjectsError> for ToolError {
    fn from(error: ObjectsError) -> Self {
        match error {
            ObjectsError::Git(error) => error.into(),
            ObjectsError::Folder { .. } => {
                let response = ErrorResponse::new(ErrorCategory::User, error_chain(&error))
                    .suggest("Set state.dir to a folder that can be written.");
                Self::new(Whose::Here, response)
            }
            ObjectsError::Gone { .. } => {
                let response = ErrorResponse::new(ErrorCategory::Logical, error.to_string())
                    .suggest("The branch was probably pushed to meanwhile; ask again.");
                Self::new(Whose::OtherSide, response)
            }
        }
    }
}
