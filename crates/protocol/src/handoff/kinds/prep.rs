//! Handoffs of the prep agent.

use std::num::{NonZeroU16, NonZeroU64};

use super::Kind;
use crate::handoff::shape::shape;
use crate::handoff::values::{HttpUrl, Line, Moment};
use crate::handoff::vocabulary::{Choice, Outcome, WorkspaceStatus, WorkspaceType};
use crate::handoff::xml::Element;

shape! {
    /// prep-agent → implementer-agent: there is a place to work in.
    pub struct WorkspaceReady {
        optional timestamp: Option<Moment>,
        required issue_url: HttpUrl,
        required issue_number: NonZeroU64,
        optional pr_url: Option<HttpUrl>,
        optional pr_number: Option<NonZeroU64>,
        required branch: Line,
        required workspace_path: Line,
        required workspace_type: Choice<WorkspaceType>,
        optional port: Option<NonZeroU16>,
        required status: Choice<WorkspaceStatus>,
        optional summary: Option<String>,
        optional_record validation: Option<WorkspaceChecks>,
        rest other: Vec<Element>,
    }
}

shape! {
    /// What was tried in the workspace, in the prep agent's words
    /// (`installed`, `passing`, `verified`).
    pub struct WorkspaceChecks {
        optional dependencies: Option<Line>,
        optional build: Option<Line>,
        optional dev_server: Option<Line>,
        rest other: Vec<Element>,
    }
}

impl Kind for WorkspaceReady {
    fn outcome(&self) -> Option<Outcome> {
        Some(self.status.word()?.outcome())
    }
}
