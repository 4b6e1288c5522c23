//! Maps the reports of steps to the next step.

use std::collections::BTreeSet;

use baton_protocol::handoff::{AgentFailed, ErrorStatus, Handoff, HandoffKind, Outcome};

use crate::event::{Goal, Report};
use crate::outcome::{Failure, FailureKind};
use crate::progress::{self, FailedChecks};
use crate::question::{StepQuestion, choice};
use crate::step::Step;

/// What a report means for the run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Route {
    To(Step),
    /// A review asks for changes.
    Findings(BTreeSet<String>),
    /// The validation, or the merge, failed.
    Failures(FailedChecks),
    Complete,
    /// The agent reports a failure.
    Failed(Failure),
    /// The step asks a question.
    Ask(StepQuestion),
    CleanedUp,
}

/// A report that a step must not make.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("the step `{step}` ended with a `{kind}` handoff, which is not for it to give")]
    WrongKind { step: Step, kind: HandoffKind },
    #[error("the step `{step}` is done without a handoff, and someone waits for one")]
    NoHandoff { step: Step },
    #[error("the handoff cannot be acted on: {0}")]
    NotConcrete(String),
    #[error("the handoff says that work is still under way")]
    Pending,
    #[error("the question has options that cannot be told apart")]
    AmbiguousOptions,
    #[error("a handoff of the run is about issue #{expected}, and this one about #{found}")]
    OtherIssue { expected: u64, found: u64 },
}

impl Step {
    /// Where the run goes after this step, or why the report is invalid.
    pub(crate) fn route(self, report: &Report, goal: &Goal) -> Result<Route, Rejection> {
        match report {
            Report::Passed { handoff } => self.route_handoff(handoff, goal),
            Report::Done => match self {
                Self::Implement => Ok(Route::To(Self::Publish)),
                Self::Validate => Ok(Route::To(Self::Merge)),
                // People review their own pull requests; none of them asks for anything now.
                Self::Review if goal.pull_request.is_some() => Ok(Route::To(Self::Validate)),
                Self::CleanUp => Ok(Route::CleanedUp),
                _ => Err(Rejection::NoHandoff { step: self }),
            },
            Report::Asks { question } => {
                let mut keys: Vec<char> = question.options.iter().map(|one| one.key).collect();
                keys.push(choice::STOP);
                keys.sort_unstable();
                keys.dedup();
                if keys.len() <= question.options.len() || self == Self::CleanUp {
                    return Err(Rejection::AmbiguousOptions);
                }
                Ok(Route::Ask(question.clone()))
            }
        }
    }

    fn route_handoff(self, handoff: &Handoff, goal: &Goal) -> Result<Route, Rejection> {
        handoff
            .require_concrete()
            .map_err(|problems| Rejection::NotConcrete(problems.to_string()))?;
        if handoff.from() != Some(self.agent()) {
            let kind = handoff.kind();
            return Err(Rejection::WrongKind { step: self, kind });
        }
        if let Handoff::AgentFailed(failed) = handoff {
            return Ok(Route::Failed(failure_of(failed)));
        }
        let route = self.destination(handoff, goal)?;
        match handoff.outcome() {
            Some(Outcome::Success | Outcome::ChangesRequested | Outcome::Skipped) => Ok(route),
            Some(Outcome::Failure) => Ok(failed(FailureKind::Permanent, handoff)),
            Some(Outcome::Blocked) => Ok(failed(FailureKind::Blocked, handoff)),
            Some(Outcome::Pending) | None => Err(Rejection::Pending),
        }
    }

    fn destination(self, handoff: &Handoff, goal: &Goal) -> Result<Route, Rejection> {
        match (self, handoff) {
            (Self::Issue, Handoff::IssueReady(_)) => Ok(Route::To(Self::Prepare)),
            (Self::Prepare, Handoff::WorkspaceReady(_)) => Ok(Route::To(match goal.pull_request {
                Some(_) => Self::Review,
                None => Self::Implement,
            })),
            (Self::Publish, Handoff::Implemented(_)) | (Self::Fix, Handoff::Fixed(_)) => {
                Ok(Route::To(Self::Review))
            }
            (Self::Review, Handoff::ChangesRequested(review)) => {
                Ok(Route::Findings(progress::findings(review)))
            }
            (Self::Review, Handoff::Approved(_)) | (Self::Fix, Handoff::NothingToFix(_)) => {
                Ok(Route::To(Self::Validate))
            }
            (Self::Validate | Self::Merge, Handoff::ValidationFailed(validation)) => {
                Ok(Route::Failures(progress::failures(validation)))
            }
            // Someone may merge it before it is validated.
            (Self::Validate | Self::Merge, Handoff::Merged(_)) => Ok(Route::To(Self::Close)),
            (Self::Close, Handoff::WorkflowComplete(_)) => Ok(Route::Complete),
            (step, handoff) => Err(Rejection::WrongKind {
                step,
                kind: handoff.kind(),
            }),
        }
    }
}

fn failed(kind: FailureKind, handoff: &Handoff) -> Route {
    let summary = handoff.summary().unwrap_or("no reason was given");
    Route::Failed(Failure::new(kind, summary))
}

/// An agent that reports its failure as recoverable gets another attempt; whether
/// that helped is judged by evidence like every other attempt.
fn failure_of(failed: &AgentFailed) -> Failure {
    let is_blocked = failed.status.word() == Some(ErrorStatus::Blocked);
    let kind = if is_blocked {
        FailureKind::Blocked
    } else if failed.error.recoverable {
        FailureKind::Unproven
    } else {
        FailureKind::Permanent
    };
    let error = &failed.error;
    Failure::new(kind, format!("{}: {}", error.error_type, error.message))
}
