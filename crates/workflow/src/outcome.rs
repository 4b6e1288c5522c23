//! How a step ended: what it used, and why it failed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::milliseconds;
use crate::objection::Objection;

/// The resources a step used, as far as they were reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    #[serde(default)]
    pub turns: u64,
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    /// In millionths of a dollar.
    #[serde(default)]
    pub cost_micros: u64,
    /// How long the step took, by a clock that cannot be set. Zero in journals
    /// that were written before this was measured.
    #[serde(default, skip_serializing_if = "is_unmeasured")]
    pub elapsed_ms: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes every field by reference"
)]
fn is_unmeasured(elapsed_ms: &u64) -> bool {
    *elapsed_ms == 0
}

impl Usage {
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn elapsed(&self) -> Option<Duration> {
        (self.elapsed_ms > 0).then(|| Duration::from_millis(self.elapsed_ms))
    }

    /// Adds up what was used. Time is not: steps may run at the same time, and
    /// [`State::active`](crate::State::active) knows how long they took.
    pub fn add(&mut self, more: &Self) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.turns, more.turns);
        add(&mut self.input_tokens, more.input_tokens);
        add(&mut self.output_tokens, more.output_tokens);
        add(&mut self.cost_micros, more.cost_micros);
    }
}

/// Why a step did not do its work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    pub kind: FailureKind,
    /// What happened and what to do about it, for a person. The same message
    /// of the same kind counts as the same failure.
    pub message: String,
    /// When the server asks to retry.
    #[serde(
        rename = "retry_after_ms",
        with = "milliseconds::optional",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub retry_after: Option<Duration>,
    /// A person may accept it anyway.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acceptable: bool,
    /// What exactly a person would accept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objections: Vec<Objection>,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after: None,
            acceptable: false,
            objections: Vec::new(),
        }
    }
}

/// What can be done about a failure. The reporter has to choose; nothing is
/// retried by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// It is transient: a network, a server, a rate limit.
    Transient,
    /// No sign of life, or a time limit.
    Stalled,
    /// The agent reports success without evidence.
    Unproven,
    /// Something outside has to happen first.
    Blocked,
    /// The handoff is not valid.
    Rejected,
    /// Trying again would not help.
    Permanent,
    /// The step was ended because the run is cancelled.
    Cancelled,
}

impl FailureKind {
    pub const ALL: &'static [Self] = &[
        Self::Transient,
        Self::Stalled,
        Self::Unproven,
        Self::Blocked,
        Self::Rejected,
        Self::Permanent,
        Self::Cancelled,
    ];
}
