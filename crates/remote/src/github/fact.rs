//! Facts that GitHub may withhold, and why it did.

use std::fmt;

use super::error::{GitHubError, GitHubErrorKind};
use super::graphql::GraphQlProblem;
use super::hint;
use crate::http::Failure;

/// A value from GitHub, or why it could not be read.
///
/// There is no default and no `unwrap_or`: a caller has to decide what follows
/// from a withheld fact, since a withheld value must never become "none" or
/// "passed" by accident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact<T> {
    Known(T),
    Unreadable(Unreadable),
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// A path in an answer, such as `repository.pullRequest.reviewDecision`, or a
    /// short description.
    pub what: String,
    /// GitHub's message.
    pub reason: String,
    /// What has to change so that it can be read.
    pub remedy: String,
}

impl<T> Fact<Option<T>> {
    /// The value at `path` of an answer. A `null` is withheld if a problem
    /// explains it, and absent if none does.
    pub(super) fn at(path: &str, value: Option<T>, unreadable: &[Unreadable]) -> Self {
        match (value, Unreadable::cause(unreadable, path)) {
            (None, Some(cause)) => Self::Unreadable(cause.clone()),
            (value, _) => Self::Known(value),
        }
    }
}

impl<T> Fact<T> {
    /// The value, for display and for evidence that only ever adds to what is known. A decision
    /// needs a `match`.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unreadable(_) => None,
        }
    }

    pub fn unreadable(&self) -> Option<&Unreadable> {
        match self {
            Self::Known(_) => None,
            Self::Unreadable(unreadable) => Some(unreadable),
        }
    }

    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Fact<U> {
        match self {
            Self::Known(value) => Fact::Known(change(value)),
            Self::Unreadable(unreadable) => Fact::Unreadable(unreadable),
        }
    }

    /// All of them, or why one is missing.
    pub(super) fn all(facts: Vec<Self>) -> Fact<Vec<T>> {
        let mut known = Vec::new();
        for fact in facts {
            match fact {
                Self::Known(value) => known.push(value),
                Self::Unreadable(unreadable) => return Fact::Unreadable(unreadable),
            }
        }
        Fact::Known(known)
    }

    /// Distinguishes a withheld fact from an error that ends the whole call, such
    /// as a rate limit or an invalid token.
    pub fn from_answer(answer: Result<T, GitHubError>) -> Result<Self, GitHubError> {
        match answer {
            Ok(value) => Ok(Self::Known(value)),
            Err(error) if is_withheld(error.kind()) => {
                Ok(Self::Unreadable(Unreadable::from(&error)))
            }
            Err(error) => Err(error),
        }
    }
}

/// Permissions, scopes, the server's version, and a server that does not answer in time.
fn is_withheld(kind: &GitHubErrorKind) -> bool {
    match kind {
        GitHubErrorKind::NotFound { .. }
        | GitHubErrorKind::MissingScopes { .. }
        | GitHubErrorKind::SingleSignOn { .. }
        | GitHubErrorKind::NotPermitted { .. }
        | GitHubErrorKind::UnknownToServer { .. }
        | GitHubErrorKind::TooManyNodes { .. }
        | GitHubErrorKind::ServerError { .. } => true,
        GitHubErrorKind::Http(error) => {
            matches!(
                error.failure(),
                Failure::Timeout { .. } | Failure::Status(_)
            )
        }
        GitHubErrorKind::RepositoryHidden { .. }
        | GitHubErrorKind::RepositoryRenamed { .. }
        | GitHubErrorKind::NoCredentials
        | GitHubErrorKind::BadCredentials { .. }
        | GitHubErrorKind::Blocked { .. }
        | GitHubErrorKind::Archived
        | GitHubErrorKind::Invalid { .. }
        | GitHubErrorKind::Refused { .. }
        | GitHubErrorKind::Gone { .. }
        | GitHubErrorKind::RateLimited(_)
        | GitHubErrorKind::GraphQl(_)
        | GitHubErrorKind::UnexpectedAnswer { .. }
        | GitHubErrorKind::Archive(_) => false,
    }
}

impl Unreadable {
    /// Why there is a `null` at `path` where something has to be.
    pub(super) fn at(path: &str, all: &[Self]) -> Self {
        let cause = Self::cause(all, path).cloned();
        cause.unwrap_or_else(|| Self {
            what: path.to_owned(),
            reason: "GitHub left it out of its answer without a reason".to_owned(),
            remedy: hint::permission(path),
        })
    }

    /// Why the value at `path` is `null`, if that is because it could not be read. The problem is
    /// at that path, above it, or below it in a field that must not be `null`. One without a path
    /// may be about anything.
    pub(super) fn cause<'u>(all: &'u [Self], path: &str) -> Option<&'u Self> {
        all.iter()
            .find(|part| is_within(path, &part.what) || is_within(&part.what, path))
    }

    /// What is missing inside of the value at `path`, though that is there.
    pub(super) fn inside<'u>(all: &'u [Self], path: &str) -> Option<&'u Self> {
        let is_inside = |part: &&Self| part.is_at_or_below(path) && !is_within(path, &part.what);
        all.iter().find(is_inside)
    }

    pub(super) fn is_at_or_below(&self, path: &str) -> bool {
        is_within(&self.what, path)
    }

    /// The same problem with another description.
    #[must_use]
    pub fn about(&self, what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            ..self.clone()
        }
    }
}

/// Paths of fields that were not asked for have no indices, and are about every entry of a list.
fn is_within(path: &str, outer: &str) -> bool {
    let is_index = |part: &str| part.parse::<usize>().is_ok();
    let mut path = path.split('.').peekable();
    let mut outer = outer.split('.').peekable();
    while let Some(wanted) = outer.peek().copied().filter(|part| !part.is_empty()) {
        match path.peek().copied() {
            Some(part) if part == wanted => {
                path.next();
                outer.next();
            }
            Some(part) if is_index(part) && !is_index(wanted) => drop(path.next()),
            Some(part) if is_index(wanted) && !is_index(part) => drop(outer.next()),
            None if is_index(wanted) => drop(outer.next()),
            _ => return false,
        }
    }
    true
}

impl From<GraphQlProblem> for Unreadable {
    fn from(problem: GraphQlProblem) -> Self {
        Self {
            remedy: hint::for_problem(&problem),
            what: problem.path,
            reason: problem.message,
        }
    }
}

impl From<&GitHubError> for Unreadable {
    fn from(error: &GitHubError) -> Self {
        Self {
            what: error.errand().object().to_owned(),
            reason: error.kind().to_string(),
            remedy: error.hint(),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} could not be read: {}", self.what, self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unreadable(path: &str) -> Unreadable {
        Unreadable::at(path, &[])
    }

    #[test]
    fn a_problem_explains_what_is_above_and_below_it() {
        let all = [unreadable("repository.pullRequest.commits.nodes.0")];
        let caused = |path: &str| Unreadable::cause(&all, path).is_some();
        assert!(caused("repository.pullRequest.commits"));
        assert!(caused("repository.pullRequest.commits.nodes.0.commit"));
        assert!(!caused("repository.pullRequest.commits.nodes.01"));
        assert!(!caused("repository.pullRequest.commitsOfOthers"));
        assert!(Unreadable::cause(&[unreadable("")], "repository").is_some());
    }

    #[test]
    fn a_field_that_was_not_asked_for_is_missing_in_every_entry() {
        let all = [unreadable("repository.pulls.nodes.author.login")];
        let caused = |path: &str| Unreadable::cause(&all, path).is_some();
        assert!(caused("repository.pulls.nodes.7.author"));
        assert!(caused("repository.pulls.nodes.7"));
        assert!(caused("repository.pulls.nodes.7.author.login.0"));
        assert!(!caused("repository.pulls.nodes.7.labels"));
        let all = [unreadable("repository.pulls.nodes.7.labels")];
        assert!(Unreadable::cause(&all, "repository.pulls.nodes.8.labels").is_none());
    }

    #[test]
    fn only_an_absent_value_is_unreadable() {
        let all = [unreadable("a.b")];
        let fact = |value, path| Fact::at(path, value, &all);
        assert_eq!(fact(Some(1), "a.b"), Fact::Known(Some(1)));
        assert_eq!(fact(None, "a.c"), Fact::Known(None));
        assert!(fact(None, "a.b").unreadable().is_some());
    }
}
