//! The state of a run.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use baton_protocol::handoff::{Handoff, HandoffKind};
use jiff::{SignedDuration, Timestamp};

use crate::event::{Answer, Start};
use crate::key::{Key, RunId};
use crate::objection::AcceptedObjection;
use crate::outcome::Usage;
use crate::policy::{Budget, Until};
use crate::progress::FailedChecks;
use crate::question::{Question, Reason};
use crate::step::{Stage, Step};

/// The state of a run. It is never stored: [`replay`](crate::replay) computes it
/// from the run's events.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub(crate) start: Arc<Start>,
    pub(crate) created: Timestamp,
    pub(crate) changed: Timestamp,
    pub(crate) stage: Stage,
    pub(crate) position: Position,
    /// How many keys were given out.
    pub(crate) numbered: u32,
    pub(crate) passed: Vec<Passed>,
    pub(crate) accepted: Vec<AcceptedObjection>,
    pub(crate) rounds: Rounds,
    pub(crate) active: Duration,
    /// By how much the clock was set during steps, forward above zero.
    pub(crate) clock_set: SignedDuration,
    pub(crate) usage: Usage,
    pub(crate) budget: Budget,
    /// A user asked to cancel the run, for this reason.
    pub(crate) cancelling: Option<String>,
    /// How the run ends once it has cleaned up.
    pub(crate) ending: Option<Ending>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Position {
    /// The step may start.
    Ready(Task),
    Running {
        task: Task,
        since: Timestamp,
    },
    /// The step is retried later.
    Resting {
        task: Task,
        until: Timestamp,
        blocked: bool,
    },
    Asking(Box<Asking>),
    Ended(Ending),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asking {
    pub(crate) question: Question,
    /// Whether it was announced.
    pub(crate) known: bool,
    /// The task that the run continues with.
    pub(crate) task: Task,
    /// The step it continues with if a person accepts things as they are.
    pub(crate) otherwise: Option<Step>,
    /// When the run checks for itself whether it can continue.
    pub(crate) recheck: Option<Timestamp>,
}

/// A step with the results of its attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub key: Key,
    pub step: Step,
    /// From 1 on. A crash does not count, a failure does.
    pub attempt: u32,
    /// The results of earlier attempts and the comments of a person, oldest
    /// first.
    pub guidance: Vec<Guidance>,
    /// A person has approved it.
    pub(crate) agreed: bool,
    pub(crate) tries: Tries,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tries {
    pub(crate) transient: u32,
    pub(crate) stalled: u32,
    pub(crate) unproven: u32,
    /// The last message without evidence, and how often it came in a row.
    pub(crate) same: Option<(String, u32)>,
    pub(crate) interrupted: u32,
    pub(crate) questions: u32,
    pub(crate) rechecks: u32,
}

/// Guidance for the next attempt of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guidance {
    /// Why the last attempt did not count.
    Failure(String),
    Answer(Answer),
}

/// The loops of a run, and the last findings and failures in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rounds {
    pub(crate) review: u32,
    pub(crate) findings: Option<BTreeSet<String>>,
    pub(crate) validation: u32,
    pub(crate) failures: Option<(FailedChecks, u32)>,
}

/// A handoff that was accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Passed {
    pub key: Key,
    pub step: Step,
    pub at: Timestamp,
    pub handoff: Arc<Handoff>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Merged, and the issue is closed.
    Closed,
    /// The run went as far as it was to go, which is not the merge.
    Reached {
        until: Until,
        left_behind: Option<String>,
    },
    Failed {
        reason: String,
        /// Why the cleanup failed.
        left_behind: Option<String>,
    },
    Cancelled {
        reason: String,
        left_behind: Option<String>,
    },
}

/// One word for the state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    At(Stage),
    /// Something outside has to happen first.
    Blocked,
    /// A person has to answer first.
    Waiting,
    /// It went as far as it was to go, and nothing is merged.
    Done,
    Failed,
    Cancelled,
}

impl Status {
    pub fn word(self) -> &'static str {
        match self {
            Self::At(stage) => stage.word(),
            Self::Blocked => "blocked",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl State {
    pub fn run(&self) -> &RunId {
        &self.start.run
    }

    pub fn start(&self) -> &Start {
        &self.start
    }

    pub fn created(&self) -> Timestamp {
        self.created
    }

    /// When the last event happened.
    pub fn changed(&self) -> Timestamp {
        self.changed
    }

    /// How far the run has come, whether or not it continues now.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    pub fn status(&self) -> Status {
        match &self.position {
            Position::Resting { blocked: true, .. } => Status::Blocked,
            Position::Ready(_) | Position::Running { .. } | Position::Resting { .. } => {
                Status::At(self.stage)
            }
            Position::Asking(asking) => match asking.question.reason {
                Reason::Blocked { .. } => Status::Blocked,
                _ => Status::Waiting,
            },
            Position::Ended(Ending::Closed) => Status::At(Stage::Closed),
            Position::Ended(Ending::Reached { .. }) => Status::Done,
            Position::Ended(Ending::Failed { .. }) => Status::Failed,
            Position::Ended(Ending::Cancelled { .. }) => Status::Cancelled,
        }
    }

    /// The step that is next or running; while a question waits, the one to
    /// continue with.
    pub fn task(&self) -> Option<&Task> {
        match &self.position {
            Position::Ready(task)
            | Position::Running { task, .. }
            | Position::Resting { task, .. } => Some(task),
            Position::Asking(asking) => Some(&asking.task),
            Position::Ended(_) => None,
        }
    }

    pub fn is_running(&self) -> bool {
        matches!(self.position, Position::Running { .. })
    }

    pub fn question(&self) -> Option<&Question> {
        match &self.position {
            Position::Asking(asking) => Some(&asking.question),
            _ => None,
        }
    }

    pub fn ending(&self) -> Option<&Ending> {
        match &self.position {
            Position::Ended(ending) => Some(ending),
            _ => None,
        }
    }

    /// The ending that the run cleans up for.
    pub fn ending_after_clean_up(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    pub fn is_cancelling(&self) -> bool {
        self.cancelling.is_some()
    }

    /// All handoffs that were accepted, oldest first.
    pub fn passed(&self) -> &[Passed] {
        &self.passed
    }

    /// What people have accepted in this run, oldest first.
    pub fn accepted(&self) -> &[AcceptedObjection] {
        &self.accepted
    }

    /// The newest handoff of one kind.
    pub fn latest(&self, kind: HandoffKind) -> Option<&Passed> {
        self.passed
            .iter()
            .rfind(|passed| passed.handoff.kind() == kind)
    }

    pub fn usage(&self) -> &Usage {
        &self.usage
    }

    /// The time spent in steps.
    pub fn active(&self) -> Duration {
        self.active
    }

    /// By how much the clock was set while steps ran, according to their own
    /// durations: forward above zero, back below.
    pub fn clock_set(&self) -> SignedDuration {
        self.clock_set
    }

    /// What the run may spend in all, extensions included.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// How often a review or validation has sent the work back, in all.
    pub fn fix_rounds(&self) -> usize {
        let sends_back = |kind| {
            matches!(
                kind,
                HandoffKind::ChangesRequested | HandoffKind::ValidationFailed
            )
        };
        let passed = self.passed.iter();
        passed
            .filter(|passed| sends_back(passed.handoff.kind()))
            .count()
    }

    /// Gives out the next key.
    pub(crate) fn number(&mut self, name: &str) -> Key {
        self.numbered = self.numbered.saturating_add(1);
        Key::numbered(&self.start.run, self.numbered, name)
    }

    pub(crate) fn new_task(&mut self, step: Step) -> Task {
        Task {
            key: self.number(step.word()),
            step,
            attempt: 1,
            guidance: Vec::new(),
            agreed: false,
            tries: Tries::default(),
        }
    }

    pub(crate) fn has_no_commands_left(&self) -> bool {
        self.numbered >= self.start.policy.max_commands
    }
}

impl Task {
    pub(crate) fn timer(&self) -> Key {
        self.key.with(format_args!("wait-{}", self.attempt))
    }

    /// The next attempt of the same step.
    pub(crate) fn again(mut self) -> Self {
        self.attempt = self.attempt.saturating_add(1);
        self
    }

    /// The next attempt, with all counts reset.
    pub(crate) fn afresh(mut self) -> Self {
        self.tries = Tries::default();
        self.again()
    }

    pub(crate) fn with_guidance(mut self, guidance: Guidance) -> Self {
        self.guidance.push(guidance);
        self
    }
}

impl Asking {
    pub(crate) fn timer(&self) -> Key {
        self.question.key.with("recheck")
    }
}

impl Ending {
    pub fn left_behind(&self) -> Option<&str> {
        match self {
            Self::Closed => None,
            Self::Reached { left_behind, .. }
            | Self::Failed { left_behind, .. }
            | Self::Cancelled { left_behind, .. } => left_behind.as_deref(),
        }
    }

    pub(crate) fn failed(reason: impl Into<String>) -> Self {
        Self::Failed {
            reason: reason.into(),
            left_behind: None,
        }
    }

    pub(crate) fn cancelled(reason: impl Into<String>) -> Self {
        Self::Cancelled {
            reason: reason.into(),
            left_behind: None,
        }
    }

    pub(crate) fn leaving(mut self, error: String) -> Self {
        match &mut self {
            Self::Closed => {}
            Self::Reached { left_behind, .. }
            | Self::Failed { left_behind, .. }
            | Self::Cancelled { left_behind, .. } => *left_behind = Some(error),
        }
        self
    }
}
