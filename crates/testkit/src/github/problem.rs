//! A difference between an exchange and the description.

use std::fmt;

/// One way in which a request or an answer differs from what GitHub describes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// What it was part of: `GET /repos/{owner}/{repo}`, `webhook push`,
    /// `graphql PullRequestByNumber`, `type PullRequest`.
    pub operation: String,
    /// `request`, `query`, `response 200`, `document`, `field`.
    pub part: String,
    /// The place in the body, as a JSON pointer; empty for the whole.
    pub pointer: String,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.operation, self.part)?;
        if !self.pointer.is_empty() {
            write!(f, ", {}", self.pointer)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Collects the problems of one part of one operation.
#[derive(Debug)]
pub(super) struct Findings<'a> {
    operation: &'a str,
    part: String,
    problems: Vec<Problem>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(operation: &'a str, part: impl Into<String>) -> Self {
        Self {
            operation,
            part: part.into(),
            problems: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem {
            operation: self.operation.to_owned(),
            part: self.part.clone(),
            pointer: pointer.into(),
            message: message.into(),
        });
    }

    pub(super) fn len(&self) -> usize {
        self.problems.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.problems.truncate(len);
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}

/// One more step of a JSON pointer.
pub(super) fn join(pointer: &str, step: &str) -> String {
    format!("{pointer}/{}", step.replace('~', "~0").replace('/', "~1"))
}
