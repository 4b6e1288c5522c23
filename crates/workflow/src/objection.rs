//! The objections of the evidence to a change, one by one, so that a person can
//! accept exactly one.

use baton_protocol::handoff::xml::{Element, Node};
use baton_protocol::handoff::{BlockingIssue, ChangesRequested, Location};
use serde::{Deserialize, Serialize};

/// The element of a review's handoff that has the fingerprints of its blocking
/// issues, in their order. The protocol has no name for it.
pub const FINGERPRINTS: &str = "finding_fingerprints";

/// One objection of an evidence gate to a change: a finding, a test that does not
/// run, a large file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Objection {
    /// Its kind, such as `tamper/test-deleted`.
    pub rule: String,
    /// The same for the same thing, in other runs as well.
    pub fingerprint: String,
    /// For a person. Foreign text.
    pub text: String,
}

/// An objection that a person has accepted in this run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedObjection {
    pub objection: Objection,
    pub reason: Option<String>,
}

impl Objection {
    /// The blocking issues of a review, in their order.
    pub fn all_of(review: &ChangesRequested) -> Vec<Self> {
        let known = text_of(&review.other);
        let mut known = known.split_whitespace();
        let issues = review.blocking_issues.iter();
        issues
            .map(|issue| Self::from_issue(issue, known.next()))
            .collect()
    }

    fn from_issue(issue: &BlockingIssue, fingerprint: Option<&str>) -> Self {
        let path = issue.location.as_ref().map_or("", Location::path);
        let description = issue.description.trim();
        // Descriptions end with `(rule)`.
        let rule = description
            .rsplit_once('(')
            .and_then(|(_, rule)| rule.strip_suffix(')'))
            .unwrap_or_default();
        let text = match path {
            "" => description.to_owned(),
            path => format!("{path}: {description}"),
        };
        Self {
            rule: rule.to_owned(),
            // Without a fingerprint it is identified by its text, which stays the
            // same within a run.
            fingerprint: fingerprint.map_or_else(|| text.clone(), str::to_owned),
            text,
        }
    }
}

/// The text of the element with the fingerprints.
fn text_of(elements: &[Element]) -> String {
    let element = elements.iter().find(|one| one.name() == FINGERPRINTS);
    let nodes = element.into_iter().flat_map(Element::nodes);
    nodes
        .filter_map(|node| match node {
            Node::Text(text) => Some(text.as_str()),
            Node::Element(_) => None,
        })
        .collect()
}
