//! What counts as the same findings and the same failures.

use std::collections::BTreeSet;

use baton_protocol::handoff::xml::Node;
use baton_protocol::handoff::{ChangesRequested, ValidationFailed};

/// The same failure this many times is no progress.
pub(crate) const SAME_FAILURES: u32 = 3;

/// Attempts without evidence, however different their messages are.
pub(crate) const UNPROVEN_TRIES: u32 = 5;

/// A finding is identified by its file and its text: a fix elsewhere in the file
/// moves its line.
pub(crate) fn findings(review: &ChangesRequested) -> BTreeSet<String> {
    let issues = review.blocking_issues.iter();
    issues
        .map(|issue| {
            let path = issue.location.as_ref().map_or("", |place| place.path());
            format!("{path}: {}", issue.description.trim())
        })
        .collect()
}

/// What a failed validation reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailedChecks {
    pub(crate) checks: BTreeSet<String>,
    /// The commit of the base that the branch conflicts with. A conflict with
    /// another commit is another failure with the same text.
    base: Option<String>,
}

/// The type of a failure that depends on the base.
const CONFLICT: &str = "conflict";

/// The element in which a validation names the commit of the base.
const BASE_COMMIT: &str = "base_commit";

pub(crate) fn failures(validation: &ValidationFailed) -> FailedChecks {
    let failures = validation.failures.iter();
    let has_conflict = failures
        .clone()
        .any(|failure| failure.failure_type.as_str() == CONFLICT);
    let mut elements = validation.other.iter();
    let base = elements.find(|element| has_conflict && element.name() == BASE_COMMIT);
    FailedChecks {
        checks: failures
            .map(|failure| format!("{}: {}", failure.failure_type, failure.description.trim()))
            .collect(),
        base: base.map(|element| {
            let texts = element.nodes().iter().filter_map(|node| match node {
                Node::Text(text) => Some(text.trim()),
                Node::Element(_) => None,
            });
            texts.collect()
        }),
    }
}
