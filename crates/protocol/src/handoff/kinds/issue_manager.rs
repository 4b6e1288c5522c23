//! Handoffs of the issue manager.

use std::num::NonZeroU64;

use super::{Kind, settled};
use crate::handoff::shape::shape;
use crate::handoff::values::{HttpUrl, Moment};
use crate::handoff::vocabulary::{Choice, IssueType, Outcome, Priority, Status};
use crate::handoff::xml::Element;

shape! {
    /// issue-manager → prep-agent: the issue is written and classified.
    pub struct IssueReady {
        optional timestamp: Option<Moment>,
        required issue_url: HttpUrl,
        required issue_number: NonZeroU64,
        required issue_title: String,
        required issue_type as "type": Choice<IssueType>,
        required priority: Choice<Priority>,
        optional pr_url: Option<HttpUrl>,
        optional pr_number: Option<NonZeroU64>,
        optional status: Option<Choice<Status>>,
        optional summary: Option<String>,
        list requirements["requirement"]: Vec<String>,
        rest other: Vec<Element>,
    }
}

impl Kind for IssueReady {
    fn outcome(&self) -> Option<Outcome> {
        settled(Some(Outcome::Success), self.status.as_ref())
    }
}
