//! Handoffs of the closer.

use std::num::NonZeroU64;

use super::Kind;
use crate::handoff::shape::shape;
use crate::handoff::values::{HttpUrl, Line, Moment, Percentage};
use crate::handoff::vocabulary::{Choice, CompletionStatus, Outcome};
use crate::handoff::xml::Element;

shape! {
    /// closer-agent → the end of the workflow. Its root element is
    /// `<workflow-complete>`, and it names neither sender nor receiver.
    pub struct WorkflowComplete {
        optional timestamp: Option<Moment>,
        required issue_number: NonZeroU64,
        optional issue_url: Option<HttpUrl>,
        required pr_number: NonZeroU64,
        optional pr_url: Option<HttpUrl>,
        required status: Choice<CompletionStatus>,
        optional cycle_time: Option<Line>,
        optional summary: Option<String>,
        optional_record metrics: Option<Metrics>,
        optional_list actions_taken["action"]: Option<Vec<String>>,
        rest other: Vec<Element>,
    }
}

shape! {
    pub struct Metrics {
        optional review_iterations: Option<u64>,
        optional total_commits: Option<u64>,
        optional tests_added: Option<u64>,
        optional coverage: Option<Percentage>,
        rest other: Vec<Element>,
    }
}

impl Kind for WorkflowComplete {
    fn outcome(&self) -> Option<Outcome> {
        Some(self.status.word()?.outcome())
    }
}
