//! Handoffs of the fixer.

use std::num::NonZeroU64;

use super::Kind;
use crate::handoff::shape::shape;
use crate::handoff::values::{HttpUrl, Location, Moment};
use crate::handoff::vocabulary::{Choice, FixStatus, NothingToFixStatus, Outcome};
use crate::handoff::xml::Element;

shape! {
    /// fixer-agent → reviewer-agent: the findings are dealt with.
    pub struct Fixed {
        optional timestamp: Option<Moment>,
        required pr_url: HttpUrl,
        required pr_number: NonZeroU64,
        optional issue_url: Option<HttpUrl>,
        required issue_number: NonZeroU64,
        required status: Choice<FixStatus>,
        optional summary: Option<String>,
        list fixes_applied["fix"]: Vec<AppliedFix>,
        optional commits_added: Option<u64>,
        rest other: Vec<Element>,
    }
}

shape! {
    pub struct AppliedFix {
        optional_attribute location: Option<Location>,
        content description: String,
    }
}

shape! {
    /// fixer-agent → validator-agent: nothing had to change, so there is
    /// nothing to review again.
    pub struct NothingToFix {
        optional timestamp: Option<Moment>,
        required pr_url: HttpUrl,
        required pr_number: NonZeroU64,
        optional issue_url: Option<HttpUrl>,
        required issue_number: NonZeroU64,
        required status: Choice<NothingToFixStatus>,
        optional summary: Option<String>,
        rest other: Vec<Element>,
    }
}

impl Kind for Fixed {
    fn outcome(&self) -> Option<Outcome> {
        Some(self.status.word()?.outcome())
    }
}

impl Kind for NothingToFix {
    fn outcome(&self) -> Option<Outcome> {
        Some(self.status.word()?.outcome())
    }
}
