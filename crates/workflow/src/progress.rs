//! What counts as the same findings and the same failures.

use std::collections::BTreeSet;

use baton_protocol::handoff::{ChangesRequested, ValidationFailed};

/// The same failure this many times is no progress.
pub(crate) const SAME_FAILURES: u32 = 3;

/// Tries without evidence, however different their excuses are.
pub(crate) const UNPROVEN_TRIES: u32 = 5;

/// A finding is known by its file and its words: a fix elsewhere in the file
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

pub(crate) fn failures(validation: &ValidationFailed) -> BTreeSet<String> {
    let failures = validation.failures.iter();
    failures
        .map(|failure| format!("{}: {}", failure.failure_type, failure.description.trim()))
        .collect()
}
