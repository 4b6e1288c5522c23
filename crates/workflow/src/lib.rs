//! From an issue to a merged pull request, as a pure state machine.
//!
//! [`next`] returns what should be running in a [`State`]; [`apply`] returns the
//! state after an [`Event`]. The driver of a run records events before and after
//! each effect and recovers by [`replay`]. There is no clock here: time comes in
//! as values of events.
//!
//! Must not know SQLite, tokio, agents or clocks.

mod apply;
mod event;
mod failures;
mod key;
mod milliseconds;
mod next;
mod objection;
mod outcome;
mod policy;
mod progress;
mod question;
mod routing;
mod state;
mod step;
mod transitions;

pub use apply::{IllegalEvent, apply, replay};
pub use event::{Answer, Event, FORMAT, Goal, Report, Start};
pub use key::{InvalidRunId, Key, RunId};
pub use next::{Command, StepLimits, next};
pub use objection::{AcceptedObjection, FINGERPRINTS, Objection};
pub use outcome::{Failure, FailureKind, Usage};
pub use policy::{Budget, Limits, Mode, Policy, Until};
pub use question::choice::ACCEPT;
pub use question::{Choice, Question, Reason, StepQuestion};
pub use routing::Rejection;
pub use state::{Ending, Guidance, Passed, State, Status, Task};
pub use step::{Stage, Step};
