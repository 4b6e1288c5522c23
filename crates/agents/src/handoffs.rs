//! What was handed over to a step so far. That a handoff is missing can only
//! mean that the one before did not do its work.

use std::num::NonZeroU64;

use baton_protocol::handoff::{
    Handoff, HandoffKind, HttpUrl, Implemented, IssueReady, Line, Merged, WorkspaceReady,
};
use baton_workflow::Report;

use crate::AgentStep;
use crate::step_error::StepError;

fn newest<'a>(step: &'a AgentStep<'_>, kind: HandoffKind) -> Option<&'a Handoff> {
    let passed = step.call.state.latest(kind)?;
    Some(&passed.handoff)
}

fn missing(what: &str) -> StepError {
    StepError::rejected(format!("no {what} was handed over"))
}

pub(crate) fn issue<'a>(step: &'a AgentStep<'_>) -> Result<&'a IssueReady, StepError> {
    match newest(step, HandoffKind::IssueReady) {
        Some(Handoff::IssueReady(issue)) => Ok(issue),
        _ => Err(missing("issue")),
    }
}

pub(crate) fn workspace<'a>(step: &'a AgentStep<'_>) -> Result<&'a WorkspaceReady, StepError> {
    match newest(step, HandoffKind::WorkspaceReady) {
        Some(Handoff::WorkspaceReady(ready)) => Ok(ready),
        _ => Err(missing("workspace")),
    }
}

pub(crate) fn implemented<'a>(step: &'a AgentStep<'_>) -> Result<&'a Implemented, StepError> {
    match newest(step, HandoffKind::Implemented) {
        Some(Handoff::Implemented(implemented)) => Ok(implemented),
        _ => Err(missing("pull request")),
    }
}

pub(crate) fn merged<'a>(step: &'a AgentStep<'_>) -> Result<&'a Merged, StepError> {
    match newest(step, HandoffKind::Merged) {
        Some(Handoff::Merged(merged)) => Ok(merged),
        _ => Err(missing("merge")),
    }
}

/// A number as the forge's API counts.
pub(crate) fn number(number: NonZeroU64) -> Result<u32, StepError> {
    u32::try_from(number.get())
        .map_err(|_| StepError::rejected(format!("#{number} is no number on GitHub")))
}

/// A number as handoffs count.
pub(crate) fn non_zero(number: u32) -> Result<NonZeroU64, StepError> {
    NonZeroU64::new(u64::from(number))
        .ok_or_else(|| StepError::permanent("the forge gave the number 0"))
}

/// An address that the forge gave.
pub(crate) fn url(text: &str) -> Result<HttpUrl, StepError> {
    text.parse()
        .map_err(|error| StepError::permanent(format!("the forge gave no usable address: {error}")))
}

/// Text on one line.
pub(crate) fn line(text: &str) -> Result<Line, StepError> {
    text.parse()
        .map_err(|error| StepError::permanent(format!("this cannot be handed over: {error}")))
}

/// Passes the work on, if the receiver would take it.
pub(crate) fn pass(handoff: Handoff) -> Result<Report, StepError> {
    match handoff.check() {
        Ok(()) => Ok(Report::Passed {
            handoff: Box::new(handoff),
        }),
        Err(problems) => Err(StepError::permanent(format!(
            "the handoff would not be taken: {problems}"
        ))),
    }
}
