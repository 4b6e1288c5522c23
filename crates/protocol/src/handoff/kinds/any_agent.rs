//! Handoffs that any agent may write.

use std::num::NonZeroU64;

use super::Kind;
use crate::handoff::shape::shape;
use crate::handoff::values::{HttpUrl, Line, Moment};
use crate::handoff::vocabulary::{Agent, Choice, ErrorStatus, Outcome};
use crate::handoff::xml::Element;

shape! {
    /// Any agent → orchestrator: the agent could not do its work. It may have
    /// failed before it knew of an issue.
    pub struct AgentFailed {
        sender from: Agent,
        optional timestamp: Option<Moment>,
        optional issue_url: Option<HttpUrl>,
        optional issue_number: Option<NonZeroU64>,
        optional pr_url: Option<HttpUrl>,
        optional pr_number: Option<NonZeroU64>,
        required status: Choice<ErrorStatus>,
        optional summary: Option<String>,
        record error: ErrorDetails,
        rest other: Vec<Element>,
    }
}

shape! {
    pub struct ErrorDetails {
        required error_type as "type": Line,
        required message: String,
        optional details: Option<String>,
        required recoverable: bool,
        optional suggested_action: Option<String>,
        rest other: Vec<Element>,
    }
}

impl Kind for AgentFailed {
    fn outcome(&self) -> Option<Outcome> {
        Some(self.status.word()?.outcome())
    }
}
