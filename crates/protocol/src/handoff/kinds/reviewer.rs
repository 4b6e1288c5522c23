//! Handoffs of the reviewer.

use std::num::NonZeroU64;

use super::{Kind, settled};
use crate::handoff::rules::Rules;
use crate::handoff::shape::shape;
use crate::handoff::values::{HttpUrl, Location, Moment};
use crate::handoff::vocabulary::{
    ApprovedReview, Choice, Outcome, RejectedReview, Severity, Status,
};
use crate::handoff::xml::Element;

shape! {
    /// reviewer-agent → fixer-agent: the review asks for changes.
    pub struct ChangesRequested {
        optional timestamp: Option<Moment>,
        required pr_url: HttpUrl,
        required pr_number: NonZeroU64,
        optional issue_url: Option<HttpUrl>,
        required issue_number: NonZeroU64,
        required review_status: Choice<RejectedReview>,
        required critical_count: u64,
        required important_count: u64,
        optional suggestion_count: Option<u64>,
        optional status: Option<Choice<Status>>,
        optional summary: Option<String>,
        list blocking_issues["issue"]: Vec<BlockingIssue>,
        rest other: Vec<Element>,
    }
}

shape! {
    /// One finding of the review.
    pub struct BlockingIssue {
        optional_attribute location: Option<Location>,
        attribute severity: Choice<Severity>,
        content description: String,
    }
}

shape! {
    /// reviewer-agent → validator-agent: the review found nothing that blocks.
    pub struct Approved {
        optional timestamp: Option<Moment>,
        required pr_url: HttpUrl,
        required pr_number: NonZeroU64,
        optional issue_url: Option<HttpUrl>,
        required issue_number: NonZeroU64,
        required review_status: Choice<ApprovedReview>,
        required critical_count: u64,
        required important_count: u64,
        optional suggestion_count: Option<u64>,
        optional status: Option<Choice<Status>>,
        optional summary: Option<String>,
        rest other: Vec<Element>,
    }
}

impl Kind for ChangesRequested {
    fn outcome(&self) -> Option<Outcome> {
        let own = self.review_status.word().map(RejectedReview::outcome);
        settled(own, self.status.as_ref())
    }

    fn rules(&self, rules: &mut Rules<'_>) {
        rules.not_empty("blocking_issues", self.blocking_issues.len());
        let mut at_least = |field, count: Option<u64>, severity: Severity| {
            let listed = self.listed(severity);
            if let Some(count) = count.filter(|count| *count < listed) {
                rules.broken(
                    field,
                    count,
                    format!(
                        "`{field}` is {count}, but `blocking_issues` lists {listed} of severity `{severity}`; the count includes all that are listed"
                    ),
                );
            }
        };
        at_least(
            "critical_count",
            Some(self.critical_count),
            Severity::Critical,
        );
        at_least(
            "important_count",
            Some(self.important_count),
            Severity::Important,
        );
        at_least(
            "suggestion_count",
            self.suggestion_count,
            Severity::Suggestion,
        );
    }
}

impl ChangesRequested {
    fn listed(&self, severity: Severity) -> u64 {
        let issues = self.blocking_issues.iter();
        let listed = issues.filter(|issue| issue.severity.word() == Some(severity));
        listed.map(|_| 1).sum()
    }
}

impl Kind for Approved {
    fn outcome(&self) -> Option<Outcome> {
        let own = self.review_status.word().map(ApprovedReview::outcome);
        settled(own, self.status.as_ref())
    }

    fn rules(&self, rules: &mut Rules<'_>) {
        if self.critical_count > 0 {
            rules.broken(
                "critical_count",
                self.critical_count,
                format!(
                    "`critical_count` is {}, but an approved review has no critical findings; hand over to `fixer-agent` with `changes_requested` instead",
                    self.critical_count
                ),
            );
        }
    }
}
