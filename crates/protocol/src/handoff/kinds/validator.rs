//! Handoffs of the validator.

use std::num::NonZeroU64;

use super::{Kind, settled};
use crate::handoff::rules::Rules;
use crate::handoff::shape::shape;
use crate::handoff::values::{HttpUrl, Line, Moment, Percentage, Sha};
use crate::handoff::vocabulary::{
    Choice, FailedValidation, MergeStatus, MergeStrategy, Outcome, Status,
};
use crate::handoff::xml::Element;

shape! {
    /// validator-agent → closer-agent: the pull request is merged.
    pub struct Merged {
        optional timestamp: Option<Moment>,
        required pr_url: HttpUrl,
        required pr_number: NonZeroU64,
        optional issue_url: Option<HttpUrl>,
        required issue_number: NonZeroU64,
        required merge_status: Choice<MergeStatus>,
        required merge_sha: Sha,
        optional merge_strategy: Option<Choice<MergeStrategy>>,
        optional status: Option<Choice<Status>>,
        optional summary: Option<String>,
        optional_record validation_summary: Option<ValidationSummary>,
        rest other: Vec<Element>,
    }
}

shape! {
    /// The validator's checks, in its own words.
    pub struct ValidationSummary {
        optional tests: Option<Line>,
        optional coverage: Option<Percentage>,
        optional lint: Option<Line>,
        optional type_check: Option<Line>,
        optional security: Option<Line>,
        rest other: Vec<Element>,
    }
}

shape! {
    /// validator-agent → fixer-agent: checks fail on the pull request.
    pub struct ValidationFailed {
        optional timestamp: Option<Moment>,
        required pr_url: HttpUrl,
        required pr_number: NonZeroU64,
        optional issue_url: Option<HttpUrl>,
        required issue_number: NonZeroU64,
        required validation_status: Choice<FailedValidation>,
        optional status: Option<Choice<Status>>,
        optional summary: Option<String>,
        list failures["failure"]: Vec<ValidationFailure>,
        rest other: Vec<Element>,
    }
}

shape! {
    /// One failure. Its type (`test`, `lint`, `type_check`, …) is open: a
    /// project may have checks of its own, and the fixer reads the text.
    pub struct ValidationFailure {
        attribute failure_type as "type": Line,
        content description: String,
    }
}

impl Kind for Merged {
    fn outcome(&self) -> Option<Outcome> {
        let own = self.merge_status.word().map(MergeStatus::outcome);
        settled(own, self.status.as_ref())
    }
}

impl Kind for ValidationFailed {
    fn outcome(&self) -> Option<Outcome> {
        let own = self.validation_status.word().map(FailedValidation::outcome);
        settled(own, self.status.as_ref())
    }

    fn rules(&self, rules: &mut Rules<'_>) {
        rules.not_empty("failures", self.failures.len());
    }
}
