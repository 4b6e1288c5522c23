//! What there is to fix, by the newest handoff that asks for it.

use baton_protocol::handoff::{
    BlockingIssue, ChangesRequested, Handoff, ValidationFailed, ValidationFailure,
};
use baton_workflow::Objection;

use crate::AgentStep;
use crate::people;
use crate::step_error::StepError;
use crate::validator::kinds;

pub(super) enum Work<'a> {
    Findings(&'a ChangesRequested),
    Failures(&'a ValidationFailed),
}

impl<'a> Work<'a> {
    pub(super) fn from_handoffs(step: &'a AgentStep<'_>) -> Result<Self, StepError> {
        let handoffs = step.call.state.passed().iter().rev();
        let mut work = handoffs.filter_map(|passed| match &*passed.handoff {
            Handoff::ChangesRequested(review) => Some(Self::Findings(review)),
            Handoff::ValidationFailed(validation) => Some(Self::Failures(validation)),
            _ => None,
        });
        work.next()
            .ok_or_else(|| StepError::rejected("nothing was handed over that could be fixed"))
    }

    pub(super) fn findings(&self) -> &'a [BlockingIssue] {
        match self {
            Self::Findings(review) => &review.blocking_issues,
            Self::Failures(_) => &[],
        }
    }

    /// What a person would accept who lets all findings be, in their order.
    pub(super) fn objections(&self) -> Vec<Objection> {
        match self {
            Self::Findings(review) => Objection::all_of(review),
            Self::Failures(_) => Vec::new(),
        }
    }

    pub(super) fn failures(&self) -> &'a [ValidationFailure] {
        match self {
            Self::Findings(_) => &[],
            Self::Failures(validation) => &validation.failures,
        }
    }

    /// Someone pushed, or said something, while the run was about to merge, and nothing else.
    pub(super) fn is_only_news(&self) -> bool {
        self.is_only(kinds::HEAD_MOVED) || self.is_only(kinds::COMMENTS)
    }

    pub(super) fn is_only(&self, kind: &str) -> bool {
        let failures = self.failures();
        !failures.is_empty() && failures.iter().all(|one| one.failure_type.as_str() == kind)
    }

    pub(super) fn has(&self, kind: &str) -> bool {
        self.failures()
            .iter()
            .any(|one| one.failure_type.as_str() == kind)
    }

    pub(super) fn are_all(&self, declined: &[(usize, String)]) -> bool {
        let count = self.findings().len();
        count > 0 && (0..count).all(|index| declined.iter().any(|(one, _)| *one == index))
    }

    /// For a commit that the agent left to be made.
    pub(super) fn subject(&self) -> String {
        match self {
            Self::Findings(review) => match review.blocking_issues.as_slice() {
                [only] if people::address(only).is_some() => {
                    "deal with a review comment".to_owned()
                }
                [only] => {
                    let what = only
                        .description
                        .split([':', '–'])
                        .next()
                        .unwrap_or_default();
                    format!("deal with {}", what.trim())
                }
                many => format!("deal with {} review findings", many.len()),
            },
            Self::Failures(_) if self.is_only(kinds::CONFLICT) => {
                "merge the base and resolve the conflicts".to_owned()
            }
            Self::Failures(validation) => {
                format!(
                    "mend {} of the validation",
                    plural(validation.failures.len(), "failure")
                )
            }
        }
    }

    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Findings(review) => plural(review.blocking_issues.len(), "finding"),
            Self::Failures(validation) => plural(validation.failures.len(), "failure"),
        }
    }
}

fn plural(count: usize, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}
