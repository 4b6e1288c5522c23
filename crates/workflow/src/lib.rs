//! From an issue to a merged pull request, as a pure state machine.
//!
//! [`next`] says what ought to be under way in a [`State`]; [`apply`] says what
//! an [`Event`] makes of one. Whoever drives a run writes events down before
//! and after each effect and finds its place again by [`replay`]. There is no
//! clock here: time comes in as values of events.
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
pub use policy::{Budget, Limits, Mode, Policy};
pub use question::choice::ACCEPT;
pub use question::{Choice, Question, Reason, StepQuestion};
pub use routing::Rejection;
pub use state::{Ending, Guidance, Passed, State, Status, Task};
pub use step::{Stage, Step};
