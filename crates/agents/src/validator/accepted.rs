//! Findings that a person has let pass: asked, they let the run go on with
//! them. They are not held against the change a second time.

use std::collections::BTreeSet;

use baton_protocol::handoff::Handoff;

use crate::AgentStep;
use crate::review_comment::FindingMark;

pub(super) fn findings(step: &AgentStep<'_>) -> BTreeSet<FindingMark> {
    let passed = step.call.state.passed();
    // The newest word on the findings: a review that asks for changes and is
    // followed by this step was overruled.
    let newest = passed.iter().rposition(|one| {
        matches!(
            &*one.handoff,
            Handoff::ChangesRequested(_)
                | Handoff::Approved(_)
                | Handoff::Fixed(_)
                | Handoff::NothingToFix(_)
        )
    });
    let Some(newest) = newest else {
        return BTreeSet::new();
    };
    let is_overruled = matches!(
        &*passed[newest].handoff,
        Handoff::ChangesRequested(_) | Handoff::NothingToFix(_)
    );
    let reviews = passed[..=newest]
        .iter()
        .rev()
        .filter_map(|one| match &*one.handoff {
            Handoff::ChangesRequested(review) => Some(review),
            _ => None,
        });
    let review = reviews.take(usize::from(is_overruled)).next();
    let issues = review
        .into_iter()
        .flat_map(|review| &review.blocking_issues);
    issues.map(FindingMark::from_issue).collect()
}
