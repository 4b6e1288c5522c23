//! The questions that a run asks, and their options.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::key::Key;
use crate::objection::Objection;
use crate::outcome::Failure;
use crate::step::Step;

/// Something only a person can decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub key: Key,
    pub reason: Reason,
    pub options: Vec<Choice>,
    /// The objections that the answer `a` accepts.
    pub objections: Vec<Objection>,
}

impl Question {
    pub(crate) fn offers(&self, key: char) -> bool {
        self.options.iter().any(|option| option.key == key)
    }

    /// Whether a person may accept the evidence as it is.
    pub fn can_be_accepted(&self) -> bool {
        self.offers(choice::ACCEPT)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The key that a person types.
    pub key: char,
    /// A short description.
    pub label: String,
}

impl Choice {
    pub fn new(key: char, label: impl Into<String>) -> Self {
        Self {
            key,
            label: label.into(),
        }
    }
}

/// A question of a step, in its own words. `s` is not among its options: it
/// always stops the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepQuestion {
    pub text: String,
    pub options: Vec<Choice>,
    /// The objections that the answer `a` accepts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objections: Vec<Objection>,
}

/// Why the run asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The mode requires approval first.
    Pass {
        before: Step,
    },
    /// Reviews asked for changes as often as allowed.
    ReviewRounds {
        rounds: u32,
    },
    /// Two reviews in a row found the same.
    SameFindings,
    /// Validations failed as often as allowed.
    ValidationRounds {
        rounds: u32,
    },
    /// Validations, or the attempts of a step, failed the same way each time.
    SameFailure {
        times: u32,
        failure: String,
    },
    StepFailed {
        step: Step,
        failure: Failure,
    },
    Blocked {
        step: Step,
        failure: Failure,
    },
    /// A step refuses its handoff.
    Rejected {
        by: Step,
        failure: Failure,
    },
    BudgetSpent {
        what: &'static str,
    },
    /// The process that drives the step keeps dying.
    Interrupted {
        step: Step,
        times: u32,
    },
    FromStep {
        step: Step,
        text: String,
    },
}

/// The keys of options, which mean the same in every question.
pub(crate) mod choice {
    pub(crate) const GO_ON: char = 'y';
    pub(crate) const RETRY: char = 'r';
    pub const ACCEPT: char = 'a';
    pub(crate) const MORE: char = 'm';
    pub(crate) const STOP: char = 's';
}

impl Reason {
    pub(crate) fn options(&self) -> Vec<Choice> {
        use choice::{ACCEPT, GO_ON, MORE, RETRY, STOP};
        let stop = Choice::new(STOP, "stop the run");
        match self {
            Self::Pass { .. } => vec![Choice::new(GO_ON, "go on"), stop],
            Self::ReviewRounds { .. } | Self::SameFindings => vec![
                Choice::new(MORE, "let it be fixed again"),
                Choice::new(ACCEPT, "go on with the findings open"),
                stop,
            ],
            Self::ValidationRounds { .. } => {
                vec![Choice::new(MORE, "let it be fixed again"), stop]
            }
            Self::SameFailure { .. }
            | Self::StepFailed { .. }
            | Self::Blocked { .. }
            | Self::Interrupted { .. } => vec![Choice::new(RETRY, "try again"), stop],
            Self::Rejected { .. } => vec![Choice::new(RETRY, "repeat the step before"), stop],
            Self::BudgetSpent { .. } => vec![Choice::new(MORE, "allow as much again"), stop],
            Self::FromStep { .. } => vec![stop],
        }
    }
}

/// Why the run asks, as a statement; the end of a run that cannot ask.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass { before } => write!(f, "ready for the step `{before}`"),
            Self::ReviewRounds { rounds } => write!(
                f,
                "{rounds} reviews asked for changes, and there are findings left"
            ),
            Self::SameFindings => f.write_str(
                "two reviews in a row found the same, so the fix in between did not help",
            ),
            Self::ValidationRounds { rounds } => write!(f, "the validation failed {rounds} times"),
            Self::SameFailure { times, failure } => {
                write!(f, "the same failure came {times} times: {failure}")
            }
            Self::StepFailed { step, failure } => {
                write!(f, "the step `{step}` failed: {}", failure.message)
            }
            Self::Blocked { step, failure } => write!(
                f,
                "the step `{step}` has to wait for something outside: {}",
                failure.message
            ),
            Self::Rejected { by, failure } => write!(
                f,
                "the step `{by}` rejects what it was handed: {}",
                failure.message
            ),
            Self::BudgetSpent { what } => write!(f, "the budget of the run ({what}) is spent"),
            Self::Interrupted { step, times } => write!(
                f,
                "the process that runs the step `{step}` died {times} times"
            ),
            Self::FromStep { text, .. } => f.write_str(text),
        }
    }
}
