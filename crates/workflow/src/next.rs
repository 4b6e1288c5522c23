//! Computes what should be running in a state.

use std::time::Duration;

use jiff::Timestamp;

use crate::key::Key;
use crate::question::Question;
use crate::state::{Ending, Position, State, Task};
use crate::step::Step;

/// Something that should be running.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Run the step. If it has started already, its driver died: it starts again,
    /// and first looks for what it has done.
    RunStep {
        key: Key,
        step: Step,
        attempt: u32,
        limits: StepLimits,
        begun: bool,
    },
    /// End the step; its failure is a cancellation.
    Stop {
        key: Key,
    },
    Sleep {
        key: Key,
        until: Timestamp,
    },
    /// An answer is needed. If the question is known already, it has been
    /// announced.
    Ask {
        key: Key,
        question: Question,
        known: bool,
    },
    /// The run is over.
    Complete {
        ending: Ending,
    },
}

/// When a step counts as stalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepLimits {
    pub wall: Duration,
    pub idle: Duration,
}

/// What should be running. It depends on the state alone, so a driver that
/// resumes the run gets the same answer.
pub fn next(state: &State) -> Vec<Command> {
    match &state.position {
        Position::Ready(task) => vec![run_step(state, task, false)],
        Position::Running { task, .. } => {
            if state.is_cancelling() && task.step != Step::CleanUp {
                let key = task.key.clone();
                return vec![Command::Stop { key }];
            }
            vec![run_step(state, task, true)]
        }
        Position::Resting { task, until, .. } => vec![Command::Sleep {
            key: task.timer(),
            until: *until,
        }],
        Position::Asking(asking) => {
            let ask = Command::Ask {
                key: asking.question.key.clone(),
                question: asking.question.clone(),
                known: asking.known,
            };
            let recheck = asking.recheck.map(|until| Command::Sleep {
                key: asking.timer(),
                until,
            });
            [ask].into_iter().chain(recheck).collect()
        }
        Position::Ended(ending) => vec![Command::Complete {
            ending: ending.clone(),
        }],
    }
}

fn run_step(state: &State, task: &Task, begun: bool) -> Command {
    Command::RunStep {
        key: task.key.clone(),
        step: task.step,
        attempt: task.attempt,
        limits: limits(state, task.step),
        begun,
    }
}

/// One step must not spend more time than the run has left.
fn limits(state: &State, step: Step) -> StepLimits {
    let limits = state.start.policy.limits(step);
    let left = match (step, state.budget.time) {
        (Step::CleanUp, _) | (_, None) => limits.wall,
        (_, Some(time)) => time.saturating_sub(state.active),
    };
    StepLimits {
        wall: limits.wall.min(left),
        idle: limits.idle,
    }
}
