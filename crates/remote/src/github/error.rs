//! The errors of requests to GitHub.

use std::fmt;
use std::time::Duration;

use baton_protocol::Repository;
use baton_protocol::tools::ErrorCategory;

use super::archive::ArchiveError;
use super::errand::Errand;
use super::graphql::{GraphQlProblem, MissingScopes, ProblemKind};
use super::hint;
use crate::http::{Failure, HttpError, RateLimit, display};

/// What was being done, and what went wrong.
#[derive(Debug)]
pub struct GitHubError(Box<Details>);

#[derive(Debug)]
struct Details {
    errand: Errand,
    kind: GitHubErrorKind,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum GitHubErrorKind {
    /// In a repository that the token can see.
    #[error("it was not found")]
    NotFound {
        message: String,
        missing_scopes: Vec<String>,
    },
    /// GitHub does not distinguish a hidden repository from a missing one.
    #[error("there is no repository {repository}, or this token may not see it")]
    RepositoryHidden {
        repository: Repository,
        /// The scopes that the call would have needed and the token lacks, where
        /// GitHub reports them; one of these is enough.
        missing_scopes: Vec<String>,
    },
    /// A change is not sent on to where a repository has moved.
    #[error("the repository {repository} has another name now{}", renamed(.now.as_deref()))]
    RepositoryRenamed {
        repository: Repository,
        /// `owner/repo`, if it could be found out.
        now: Option<String>,
    },
    #[error("GitHub answers only those who log in")]
    NoCredentials,
    #[error("GitHub does not accept the token ({message})")]
    BadCredentials { message: String },
    #[error("the token lacks the scope {}", either(.needed))]
    MissingScopes {
        /// One of these is enough.
        needed: Vec<String>,
        granted: Vec<String>,
    },
    #[error("the organisation wants single sign-on for this token")]
    SingleSignOn {
        /// Where to allow it.
        url: Option<String>,
    },
    #[error("the token may not do this: {message}")]
    NotPermitted {
        message: String,
        /// The permissions that a fine-grained token or an app would need.
        needed: Option<String>,
    },
    #[error("GitHub has blocked the repository: {}", blocked(.reason.as_deref(), .message))]
    Blocked {
        message: String,
        /// `dmca`, `tos` and the like.
        reason: Option<String>,
        url: Option<String>,
    },
    #[error("the repository is archived and can only be read")]
    Archived,
    #[error("GitHub refuses: {}", invalid(.message, .problems))]
    Invalid {
        message: String,
        problems: Vec<FieldProblem>,
    },
    /// 405 or 409: not in the current state.
    #[error("GitHub refuses for now: {message}")]
    Refused { status: u16, message: String },
    #[error("it is gone: {message}")]
    Gone { message: String },
    #[error("{}", display::rate_limit(.0))]
    RateLimited(RateLimit),
    #[error("the server does not know what was asked for: {message}")]
    UnknownToServer { message: String },
    #[error("the answer would be too large for GitHub: {message}")]
    TooManyNodes { message: String },
    #[error("something broke at GitHub: {message}")]
    ServerError { message: String },
    #[error("GitHub answered with problems: {}", listed(.0))]
    GraphQl(Vec<GraphQlProblem>),
    #[error("the answer is not what was expected: {reason}")]
    UnexpectedAnswer { reason: String },
    #[error("the archive cannot be trusted: {0}")]
    Archive(ArchiveError),
    #[error("{0}")]
    Http(HttpError),
}

/// One entry of `errors` in a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldProblem {
    pub resource: Option<String>,
    pub field: Option<String>,
    /// `missing`, `invalid`, `already_exists`, `custom` and the like.
    pub code: Option<String>,
    pub message: Option<String>,
}

impl GitHubError {
    pub(super) fn new(errand: Errand, kind: GitHubErrorKind) -> Self {
        Self(Box::new(Details { errand, kind }))
    }

    pub fn kind(&self) -> &GitHubErrorKind {
        &self.0.kind
    }

    /// What was being done, and to what.
    pub fn errand(&self) -> &Errand {
        &self.0.errand
    }

    /// Who can fix the error.
    pub fn category(&self) -> ErrorCategory {
        match &self.0.kind {
            GitHubErrorKind::NotFound { .. }
            | GitHubErrorKind::RepositoryHidden { .. }
            | GitHubErrorKind::RepositoryRenamed { .. }
            | GitHubErrorKind::NoCredentials
            | GitHubErrorKind::BadCredentials { .. }
            | GitHubErrorKind::MissingScopes { .. }
            | GitHubErrorKind::SingleSignOn { .. }
            | GitHubErrorKind::NotPermitted { .. } => ErrorCategory::User,
            GitHubErrorKind::Archived
            | GitHubErrorKind::Invalid { .. }
            | GitHubErrorKind::Refused { .. }
            | GitHubErrorKind::Gone { .. } => ErrorCategory::Logical,
            GitHubErrorKind::Blocked { .. }
            | GitHubErrorKind::RateLimited(_)
            | GitHubErrorKind::UnknownToServer { .. }
            | GitHubErrorKind::TooManyNodes { .. }
            | GitHubErrorKind::ServerError { .. }
            | GitHubErrorKind::GraphQl(_)
            | GitHubErrorKind::UnexpectedAnswer { .. }
            | GitHubErrorKind::Archive(_) => ErrorCategory::Api,
            GitHubErrorKind::Http(error) => match error.failure() {
                // Invalid names, or a credential that could not be obtained.
                Failure::Unsendable { .. } | Failure::Credential(_) => ErrorCategory::User,
                _ => ErrorCategory::Api,
            },
        }
    }

    /// How long to wait before the next attempt, if that is known.
    pub fn retry_after(&self) -> Option<Duration> {
        match &self.0.kind {
            GitHubErrorKind::RateLimited(limit) => limit.retry_after,
            GitHubErrorKind::Http(error) => error.retry_after(),
            _ => None,
        }
    }

    /// Whether a retry may well succeed later without any other change.
    pub fn is_transient(&self) -> bool {
        match &self.0.kind {
            GitHubErrorKind::RateLimited(_) | GitHubErrorKind::ServerError { .. } => true,
            GitHubErrorKind::Http(error) => error.is_transient(),
            _ => false,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        hint::for_error(&self.0.kind, &self.0.errand)
    }

    /// The refusal to create something that exists already.
    pub fn already_exists(&self) -> bool {
        let GitHubErrorKind::Invalid { problems, .. } = &self.0.kind else {
            return false;
        };
        problems.iter().any(|problem| {
            let said = |message: &str| message.contains("already exists");
            problem.code.as_deref() == Some("already_exists")
                || problem.message.as_deref().is_some_and(said)
        })
    }

    /// The refusal to delete a missing branch: GitHub responds with 422 and
    /// "Reference does not exist".
    pub(super) fn branch_is_gone(&self) -> bool {
        match &self.0.kind {
            GitHubErrorKind::Invalid { message, .. } => message.contains("does not exist"),
            GitHubErrorKind::NotFound { .. } => true,
            _ => false,
        }
    }

    /// For users who may see a branch's protection, GitHub distinguishes "none"
    /// from "not for you" by its message alone; a plan without the feature has
    /// none.
    pub(super) fn is_unprotected(&self) -> bool {
        match &self.0.kind {
            GitHubErrorKind::NotFound { message, .. } => message == "Branch not protected",
            _ => self.is_not_in_plan(),
        }
    }

    /// The repository's plan lacks the requested feature.
    pub(super) fn is_not_in_plan(&self) -> bool {
        matches!(&self.0.kind, GitHubErrorKind::NotPermitted { message, .. } if message.starts_with("Upgrade to GitHub"))
    }
}

impl fmt::Display for GitHubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}: {}", self.0.errand, self.0.kind)
    }
}

impl std::error::Error for GitHubError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            GitHubErrorKind::Http(error) => error.source(),
            _ => None,
        }
    }
}

impl From<Vec<GraphQlProblem>> for GitHubErrorKind {
    fn from(problems: Vec<GraphQlProblem>) -> Self {
        // One problem often causes others: the cause is what counts.
        let cause = problems
            .iter()
            .min_by_key(|problem| problem.kind.rank())
            .cloned();
        let Some(GraphQlProblem {
            kind,
            message,
            scopes,
            ..
        }) = cause
        else {
            return Self::GraphQl(problems);
        };
        match kind {
            ProblemKind::SamlFailure => Self::SingleSignOn { url: None },
            ProblemKind::RateLimited => Self::RateLimited(RateLimit {
                kind: crate::http::RateLimitKind::Primary,
                retry_after: None,
                reset: None,
                resource: "graphql".to_owned(),
            }),
            ProblemKind::InsufficientScopes => match scopes {
                Some(MissingScopes { needed, granted }) => Self::MissingScopes { needed, granted },
                None => Self::NotPermitted {
                    message,
                    needed: None,
                },
            },
            ProblemKind::Forbidden => Self::NotPermitted {
                message,
                needed: None,
            },
            ProblemKind::NotFound => Self::NotFound {
                message,
                missing_scopes: Vec::new(),
            },
            ProblemKind::Unprocessable => Self::Invalid {
                message,
                problems: Vec::new(),
            },
            ProblemKind::TooManyNodes => Self::TooManyNodes { message },
            ProblemKind::ServerError => Self::ServerError { message },
            ProblemKind::UnknownToServer => Self::UnknownToServer { message },
            ProblemKind::Other(_) => Self::GraphQl(problems),
        }
    }
}

fn renamed(now: Option<&str>) -> String {
    now.map_or_else(String::new, |now| format!(", {now}"))
}

/// Scopes of which one is enough.
pub(super) fn either(scopes: &[String]) -> String {
    scopes.join(" or ")
}

fn blocked(reason: Option<&str>, message: &str) -> String {
    match reason {
        Some(reason) => format!("{message} ({reason})"),
        None => message.to_owned(),
    }
}

fn invalid(message: &str, problems: &[FieldProblem]) -> String {
    if problems.is_empty() {
        return message.to_owned();
    }
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    format!("{message}: {}", problems.join("; "))
}

fn listed(problems: &[GraphQlProblem]) -> String {
    let messages: Vec<&str> = problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    messages.join("; ")
}

impl fmt::Display for FieldProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(message) = &self.message {
            return f.write_str(message);
        }
        let resource = self.resource.as_deref().unwrap_or("it");
        let field = self.field.as_deref();
        match (self.code.as_deref(), field) {
            (Some("missing_field"), Some(field)) => write!(f, "{resource} needs {field}"),
            (Some("missing"), _) => write!(f, "{resource} does not exist"),
            (Some("invalid"), Some(field)) => write!(f, "{field} of {resource} is not valid"),
            (Some("already_exists"), Some(field)) => {
                write!(f, "another {resource} has this {field}")
            }
            (Some(code), Some(field)) => write!(f, "{field} of {resource}: {code}"),
            (Some(code), None) => write!(f, "{resource}: {code}"),
            (None, Some(field)) => write!(f, "{field} of {resource}"),
            (None, None) => f.write_str(resource),
        }
    }
}
