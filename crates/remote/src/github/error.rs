//! What can go wrong with an errand to GitHub.

use std::fmt;
use std::time::Duration;

use baton_protocol::Repository;
use baton_protocol::tools::ErrorCategory;

use super::archive::ArchiveError;
use super::errand::Errand;
use super::graphql::{GraphQlProblem, ProblemKind};
use crate::http::{Failure, HttpError, RateLimit, shown};

/// What was being done, and what came in between.
#[derive(Debug)]
pub struct GitHubError(Box<Details>);

#[derive(Debug)]
struct Details {
    errand: Errand,
    trouble: Trouble,
}

/// What came in between.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// In a repository that the token can see.
    #[error("it was not found")]
    NotFound { message: String },
    /// GitHub does not tell a repository that is hidden from one that is not
    /// there.
    #[error("there is no repository {repository}, or this token may not see it")]
    RepositoryHidden { repository: Repository },
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
    /// 405 or 409: not as things stand.
    #[error("GitHub refuses for now: {message}")]
    Refused { status: u16, message: String },
    #[error("it is gone: {message}")]
    Gone { message: String },
    #[error("{}", shown::rate_limit(.0))]
    RateLimited(RateLimit),
    #[error("the server does not know what was asked for: {message}")]
    UnknownToServer { message: String },
    #[error("the answer would be too large for GitHub: {message}")]
    TooManyNodes { message: String },
    #[error("something broke at GitHub: {message}")]
    ServerTrouble { message: String },
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
    pub(super) fn new(errand: Errand, trouble: Trouble) -> Self {
        Self(Box::new(Details { errand, trouble }))
    }

    pub fn trouble(&self) -> &Trouble {
        &self.0.trouble
    }

    /// What was being done, and to what.
    pub fn errand(&self) -> &Errand {
        &self.0.errand
    }

    /// Whose trouble it is.
    pub fn kind(&self) -> ErrorCategory {
        match &self.0.trouble {
            Trouble::NotFound { .. }
            | Trouble::RepositoryHidden { .. }
            | Trouble::NoCredentials
            | Trouble::BadCredentials { .. }
            | Trouble::MissingScopes { .. }
            | Trouble::SingleSignOn { .. }
            | Trouble::NotPermitted { .. } => ErrorCategory::User,
            Trouble::Archived
            | Trouble::Invalid { .. }
            | Trouble::Refused { .. }
            | Trouble::Gone { .. } => ErrorCategory::Logical,
            Trouble::Blocked { .. }
            | Trouble::RateLimited(_)
            | Trouble::UnknownToServer { .. }
            | Trouble::TooManyNodes { .. }
            | Trouble::ServerTrouble { .. }
            | Trouble::GraphQl(_)
            | Trouble::UnexpectedAnswer { .. }
            | Trouble::Archive(_) => ErrorCategory::Api,
            Trouble::Http(error) => match error.failure() {
                // The names that were given, or how the credential is had.
                Failure::Unsendable { .. } | Failure::Credential(_) => ErrorCategory::User,
                _ => ErrorCategory::Api,
            },
        }
    }

    /// How long to wait before the next try, if that is known.
    pub fn retry_after(&self) -> Option<Duration> {
        match &self.0.trouble {
            Trouble::RateLimited(limit) => limit.retry_after,
            Trouble::Http(error) => error.retry_after(),
            _ => None,
        }
    }

    /// Whether the same may well succeed later with nobody doing anything.
    pub fn is_transient(&self) -> bool {
        match &self.0.trouble {
            Trouble::RateLimited(_) | Trouble::ServerTrouble { .. } => true,
            Trouble::Http(error) => error.is_transient(),
            _ => false,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        self.0.trouble.hint(&self.0.errand)
    }

    /// The refusal of something because it is there already.
    pub fn says_already_exists(&self) -> bool {
        let Trouble::Invalid { problems, .. } = &self.0.trouble else {
            return false;
        };
        problems.iter().any(|problem| {
            let said = |message: &str| message.contains("already exists");
            problem.code.as_deref() == Some("already_exists")
                || problem.message.as_deref().is_some_and(said)
        })
    }

    /// The refusal to delete a branch that is not there: GitHub says 422 and
    /// "Reference does not exist".
    pub(super) fn says_branch_is_gone(&self) -> bool {
        match &self.0.trouble {
            Trouble::Invalid { message, .. } => message.contains("does not exist"),
            Trouble::NotFound { .. } => true,
            _ => false,
        }
    }

    /// For those who may see a branch's protection, GitHub tells "none" from
    /// "not for you" by its words alone; a plan without the feature has none.
    pub(super) fn says_unprotected(&self) -> bool {
        match &self.0.trouble {
            Trouble::NotFound { message } => message == "Branch not protected",
            Trouble::NotPermitted { message, .. } => message.starts_with("Upgrade to GitHub"),
            _ => false,
        }
    }
}

impl Trouble {
    fn hint(&self, errand: &Errand) -> String {
        match self {
            Self::NotFound { .. } => format!(
                "Check the name or number of {}; the token may also lack the permission to see it.",
                errand.object()
            ),
            Self::RepositoryHidden { .. } => "Check the spelling of the repository; if it is private, give the token access to it (scope `repo`, or the repository in a fine-grained token's list).".to_owned(),
            Self::NoCredentials => "Log in with `gh auth login`, or give a token in GH_TOKEN.".to_owned(),
            Self::BadCredentials { .. } => "The token is wrong, expired or revoked: make a new one, or log in again with `gh auth login`.".to_owned(),
            Self::MissingScopes { needed, granted } => format!(
                "Run `gh auth refresh --scopes {}`, or add the scope to the token; it has {}.",
                needed.first().map_or("repo", String::as_str),
                if granted.is_empty() { "none".to_owned() } else { granted.join(", ") }
            ),
            Self::SingleSignOn { url: Some(url) } => format!("Open {url} and allow the token there."),
            Self::SingleSignOn { url: None } => "Allow the token for the organisation: GitHub settings, Developer settings, tokens, Configure SSO.".to_owned(),
            Self::NotPermitted { needed: Some(needed), .. } => format!("Give the token the permission {needed}, or ask somebody who has it."),
            Self::NotPermitted { needed: None, .. } => "Give the token more permissions, or ask somebody who has them.".to_owned(),
            Self::Blocked { url: Some(url), .. } => format!("Read {url}; only the owner and GitHub's support can undo it."),
            Self::Blocked { url: None, .. } => "Only the owner and GitHub's support can undo it.".to_owned(),
            Self::Archived => "Ask the owner to unarchive it, or work in a fork.".to_owned(),
            Self::Invalid { .. } => "Change what was asked as GitHub says.".to_owned(),
            Self::Refused { .. } => "Look at its state again, then try once more.".to_owned(),
            Self::Gone { .. } => "Nothing can bring it back; make it anew if it is needed.".to_owned(),
            Self::RateLimited(_) => "Wait as long as it says, or use a token with a larger quota.".to_owned(),
            Self::UnknownToServer { .. } => "The server is too old for this: update GitHub Enterprise Server.".to_owned(),
            Self::TooManyNodes { .. } => "Ask for less at a time.".to_owned(),
            Self::ServerTrouble { .. } => "Try again; if it stays so, look at https://www.githubstatus.com.".to_owned(),
            Self::GraphQl(_) | Self::UnexpectedAnswer { .. } => "Check that the server is GitHub and of a supported version.".to_owned(),
            Self::Archive(_) => "Look at it in the browser; it is not what GitHub itself makes.".to_owned(),
            Self::Http(error) => sentence(error.hint()),
        }
    }
}

impl fmt::Display for GitHubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}: {}", self.0.errand, self.0.trouble)
    }
}

impl std::error::Error for GitHubError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.trouble {
            Trouble::Http(error) => error.source(),
            _ => None,
        }
    }
}

impl From<Vec<GraphQlProblem>> for Trouble {
    fn from(problems: Vec<GraphQlProblem>) -> Self {
        // One problem often brings others: the cause is what counts.
        let cause = problems
            .iter()
            .min_by_key(|problem| problem.kind.rank())
            .cloned();
        let Some(GraphQlProblem { kind, message, .. }) = cause else {
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
            ProblemKind::InsufficientScopes | ProblemKind::Forbidden => Self::NotPermitted {
                message,
                needed: None,
            },
            ProblemKind::NotFound => Self::NotFound { message },
            ProblemKind::Unprocessable => Self::Invalid {
                message,
                problems: Vec::new(),
            },
            ProblemKind::TooManyNodes => Self::TooManyNodes { message },
            ProblemKind::ServerTrouble => Self::ServerTrouble { message },
            ProblemKind::UnknownToServer => Self::UnknownToServer { message },
            ProblemKind::Other(_) => Self::GraphQl(problems),
        }
    }
}

fn either(scopes: &[String]) -> String {
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

fn sentence(hint: &str) -> String {
    let mut characters = hint.chars();
    let first = characters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(characters).chain(['.']).collect()
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
