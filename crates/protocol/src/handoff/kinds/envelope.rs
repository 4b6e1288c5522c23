//! The general form of a handoff.

use std::num::NonZeroU64;

use super::Kind;
use crate::handoff::shape::shape;
use crate::handoff::values::{HttpUrl, Moment};
use crate::handoff::vocabulary::{Choice, Outcome, Status};
use crate::handoff::xml::Element;

shape! {
    /// The general form, with placeholders for sender and receiver. It shows
    /// what every handoff may carry and is never delivered.
    pub struct Envelope {
        optional timestamp: Option<Moment>,
        optional issue_url: Option<HttpUrl>,
        required issue_number: NonZeroU64,
        optional pr_url: Option<HttpUrl>,
        optional pr_number: Option<NonZeroU64>,
        required status: Choice<Status>,
        optional summary: Option<String>,
        rest other: Vec<Element>,
    }
}

impl Kind for Envelope {
    fn outcome(&self) -> Option<Outcome> {
        Some(self.status.word()?.outcome())
    }
}
