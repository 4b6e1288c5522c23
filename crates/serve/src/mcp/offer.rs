//! The types that describe an operation and its calls.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use baton_ops::pulls::{Effects, Patience, Progress};
use baton_protocol::cursor::BadCursor;
use baton_protocol::schema::{self, Entry};
use baton_protocol::tools::ErrorResponse;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::durable::Durable;
use super::elicitation::Questions;

/// An operation as it is offered to agents.
pub struct Offer {
    pub name: &'static str,
    pub title: &'static str,
    /// For an agent that has to choose: what it gives and when to call it.
    pub description: &'static str,
    pub input: &'static Entry,
    pub output: &'static Entry,
    pub hints: Hints,
    /// Whether a call with this input may outlast a client's timeout.
    pub may_last: fn(&Value) -> bool,
    pub run: Run,
    /// Knows the work that a call starts and that continues after its answer, if
    /// the operation is of that kind.
    pub durable: Option<Arc<dyn Durable>>,
}

/// Hints for a client before it lets an agent call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are four hints of the protocol, each of its own"
)]
pub struct Hints {
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    /// It reaches beyond this machine.
    pub open_world: bool,
}

/// Does the operation's work.
pub type Run = Arc<dyn Fn(Call) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;

/// One call of an operation, with its connection to the caller.
pub struct Call {
    pub input: Value,
    pub patience: Patience,
    pub telling: ProgressSender,
    pub questions: Questions,
    pub cancel: CancellationToken,
}

/// The output of the contract, or why there is none.
pub type Outcome = Result<Value, Failure>;

#[derive(Debug)]
pub enum Failure {
    /// The protocol classifies this as invalid parameters.
    BadCursor(BadCursor),
    Failed(Box<ErrorResponse>),
    /// The caller no longer waits.
    Cancelled,
    /// A bug of ours.
    Panicked,
}

/// Sends short progress messages to the caller. Messages that come faster than
/// they can be sent are dropped.
#[derive(Clone)]
pub struct ProgressSender(mpsc::Sender<String>);

impl Offer {
    /// The contract's own types of that operation: `NAME.input`, `NAME.output`.
    pub fn entry(name: &str) -> &'static Entry {
        schema::find(name).expect("an offered operation has its types in the catalogue")
    }
}

impl fmt::Debug for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Offer({})", self.name)
    }
}

impl Hints {
    pub const READ_ONLY: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };

    /// For an operation that sends requests to GitHub.
    pub(super) fn for_remote(effects: Effects) -> Self {
        match effects {
            Effects::ReadOnly => Self {
                open_world: true,
                ..Self::READ_ONLY
            },
            Effects::Idempotent { destructive } => Self {
                read_only: false,
                destructive,
                idempotent: true,
                open_world: true,
            },
        }
    }
}

impl ProgressSender {
    pub(super) fn new(sender: mpsc::Sender<String>) -> Self {
        Self(sender)
    }

    pub fn tell(&self, what: impl Into<String>) {
        let _ = self.0.try_send(what.into());
    }

    /// The same as the type of the pull-request tools.
    pub fn as_progress(&self) -> Progress {
        let telling = self.clone();
        Progress::new(move |what| telling.tell(what))
    }
}
