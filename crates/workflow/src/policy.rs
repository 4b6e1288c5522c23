//! The rules of a run: modes, budgets, limits and retries.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::milliseconds;
use crate::outcome::Usage;
use crate::step::Step;

/// How often a person is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Only when the run cannot continue without an answer.
    #[default]
    Autonomous,
    /// Also before the pull request and before the merge.
    Semi,
    /// Before every pass.
    Supervised,
}

/// Where a run ends if nothing goes wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// The pull request is open, as a draft: nothing has reviewed or validated it.
    Pr,
    /// Reviewed and validated; the merge is left to people.
    Ready,
    #[default]
    Merge,
}

impl Until {
    pub const ALL: &'static [Self] = &[Self::Pr, Self::Ready, Self::Merge];

    pub fn word(self) -> &'static str {
        match self {
            Self::Pr => "pr",
            Self::Ready => "ready",
            Self::Merge => "merge",
        }
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes every field by reference"
    )]
    fn is_merge(&self) -> bool {
        *self == Self::Merge
    }

    /// Whether a run that goes this far never comes to the step.
    pub(crate) fn is_before(self, step: Step) -> bool {
        match self {
            Self::Pr => matches!(step, Step::Review | Step::Merge),
            Self::Ready => step == Step::Merge,
            Self::Merge => false,
        }
    }
}

impl Mode {
    pub(crate) fn asks_before(self, step: Step) -> bool {
        match (self, step) {
            // The request itself is the approval to start, and cleaning up needs
            // none.
            (_, Step::Issue | Step::CleanUp) | (Self::Autonomous, _) => false,
            (Self::Semi, step) => matches!(step, Step::Publish | Step::Merge),
            (Self::Supervised, _) => true,
        }
    }
}

/// What a run may spend before it pauses and asks. Absent: without limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Spent in steps; waiting for a person or for a turn costs nothing.
    #[serde(
        rename = "time_ms",
        with = "milliseconds::optional",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub time: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// In millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

impl Budget {
    /// The name of the budget that is spent, if one is.
    pub(crate) fn spent(&self, active: Duration, usage: &Usage) -> Option<&'static str> {
        let over = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
        if self.time.is_some_and(|limit| active >= limit) {
            Some("time")
        } else if over(self.turns, usage.turns) {
            Some("turns")
        } else if over(self.cost_micros, usage.cost_micros) {
            Some("money")
        } else {
            None
        }
    }

    /// Adds the same amount again to what is allowed or used, after a person
    /// agreed.
    pub(crate) fn extend(&mut self, more: &Self, active: Duration, usage: &Usage) {
        let grown = |limit: Option<u64>, used: u64, more: Option<u64>| {
            let limit = limit?.max(used);
            Some(limit.saturating_add(more.unwrap_or_default()))
        };
        self.time = self.time.map(|limit| {
            let limit = limit.max(active);
            limit.saturating_add(more.time.unwrap_or_default())
        });
        self.turns = grown(self.turns, usage.turns, more.turns);
        self.cost_micros = grown(self.cost_micros, usage.cost_micros, more.cost_micros);
    }
}

/// The rules that a run follows. They are part of its first event, so that a
/// changed configuration does not change an existing run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    pub mode: Mode,
    #[serde(default, skip_serializing_if = "Until::is_merge")]
    pub until: Until,
    /// There is no person to answer: where a question would be asked, the run
    /// fails with it at once.
    pub unattended: bool,
    pub budget: Budget,
    /// How often a review may ask for changes before a person is asked.
    pub max_review_rounds: u32,
    /// The same for a failed validation.
    pub max_validation_rounds: u32,
    /// The pauses before a step is retried after a transient failure. There are
    /// as many retries as pauses.
    pub retry_pauses_ms: Vec<u64>,
    /// The longest pause that a server may ask for.
    #[serde(rename = "longest_pause_ms", with = "milliseconds")]
    pub longest_pause: Duration,
    /// How often a step that stalled is started again.
    pub max_stalls: u32,
    /// How often the process that drives a step may die of it.
    pub max_interruptions: u32,
    /// How often a step may ask a question of its own.
    pub max_step_questions: u32,
    /// While something outside blocks the run, it looks again this often …
    #[serde(rename = "recheck_every_ms", with = "milliseconds")]
    pub recheck_every: Duration,
    /// … and this many times.
    pub max_rechecks: u32,
    /// Limits of a step in which a coding agent works.
    pub agent_limits: Limits,
    /// Limits of every other step. The validator waits for CI.
    pub code_limits: Limits,
    /// Steps and questions together, so that every run ends.
    pub max_commands: u32,
}

/// When a step counts as stalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    #[serde(rename = "wall_ms", with = "milliseconds")]
    pub wall: Duration,
    /// Without a sign of life.
    #[serde(rename = "idle_ms", with = "milliseconds")]
    pub idle: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            until: Until::default(),
            unattended: false,
            budget: Budget::default(),
            max_review_rounds: 3,
            max_validation_rounds: 3,
            // Half an hour in all: most outages of a server are over by then.
            retry_pauses_ms: [1, 2, 5, 15, 30, 60, 120, 240, 300, 300, 300, 300]
                .map(|seconds| seconds * 1000)
                .to_vec(),
            // Servers that ask for more are better served by a question.
            longest_pause: Duration::from_mins(15),
            max_stalls: 1,
            max_interruptions: 5,
            max_step_questions: 3,
            recheck_every: Duration::from_mins(5),
            max_rechecks: 6,
            // An agent thinks and builds for long, but prints something now and
            // then.
            agent_limits: Limits {
                wall: Duration::from_hours(1),
                idle: Duration::from_mins(10),
            },
            code_limits: Limits {
                wall: Duration::from_hours(1),
                idle: Duration::from_mins(45),
            },
            // A run with every round used takes some forty.
            max_commands: 200,
        }
    }
}

impl Policy {
    pub(crate) fn limits(&self, step: Step) -> Limits {
        match step {
            Step::Implement | Step::Review | Step::Fix => self.agent_limits,
            Step::Issue
            | Step::Prepare
            | Step::Publish
            | Step::Validate
            | Step::Merge
            | Step::Close
            | Step::CleanUp => self.code_limits,
        }
    }
}
