//! One type per handoff, by who sends it. All have the same form: the fields
//! in the order of the specification, then the envelope that every handoff may
//! carry, then the unknown elements.
//!
//! A field is required when it identifies the work or when the receiver cannot
//! act without it. What a project may not have (coverage, a port, a dev
//! server) is optional.

mod any_agent;
mod closer;
mod envelope;
mod fixer;
mod implementer;
mod issue_manager;
mod prep;
mod reviewer;
mod validator;

pub use any_agent::{AgentFailed, ErrorDetails};
pub use closer::{Metrics, WorkflowComplete};
pub use envelope::Envelope;
pub use fixer::{AppliedFix, Fixed, NothingToFix};
pub use implementer::{Commit, Implemented};
pub use issue_manager::IssueReady;
pub use prep::{WorkspaceChecks, WorkspaceReady};
pub use reviewer::{Approved, BlockingIssue, ChangesRequested};
pub use validator::{Merged, ValidationFailed, ValidationFailure, ValidationSummary};

use super::rules::Rules;
use super::shape::Shape;
use super::vocabulary::{Choice, Outcome, Status};

/// What a handoff can do beyond having a shape.
pub(super) trait Kind: Shape {
    /// `None` while a template leaves it open.
    fn outcome(&self) -> Option<Outcome>;

    /// What must hold between the fields of this kind.
    fn rules(&self, _rules: &mut Rules<'_>) {}
}

/// The outcome of an edge that also carries a general status: that status
/// counts when it says that something went wrong or is not finished.
fn settled(own: Option<Outcome>, general: Option<&Choice<Status>>) -> Option<Outcome> {
    match general {
        None => own,
        Some(status) => match status.word()?.outcome() {
            Outcome::Success => own,
            other => Some(other),
        },
    }
}
