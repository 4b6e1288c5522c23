//! Handoffs of the implementer.

use std::num::NonZeroU64;

use super::{Kind, settled};
use crate::handoff::shape::shape;
use crate::handoff::values::{HttpUrl, Line, Moment, Percentage, Sha};
use crate::handoff::vocabulary::{Choice, Outcome, Status};
use crate::handoff::xml::Element;

shape! {
    /// implementer-agent → reviewer-agent: the pull request is open.
    pub struct Implemented {
        optional timestamp: Option<Moment>,
        optional issue_url: Option<HttpUrl>,
        required issue_number: NonZeroU64,
        required pr_url: HttpUrl,
        required pr_number: NonZeroU64,
        required branch: Line,
        optional status: Option<Choice<Status>>,
        optional summary: Option<String>,
        optional files_changed: Option<u64>,
        optional tests_added: Option<u64>,
        optional coverage: Option<Percentage>,
        optional_list commits["commit"]: Option<Vec<Commit>>,
        rest other: Vec<Element>,
    }
}

shape! {
    pub struct Commit {
        attribute sha: Sha,
        content message: String,
    }
}

impl Kind for Implemented {
    fn outcome(&self) -> Option<Outcome> {
        settled(Some(Outcome::Success), self.status.as_ref())
    }
}
