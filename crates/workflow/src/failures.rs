//! How a run reacts to a failure: another attempt, a question, or the end.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::outcome::{Failure, FailureKind};
use crate::progress::{SAME_FAILURES, UNPROVEN_TRIES};
use crate::question::{Choice, Reason, choice};
use crate::state::{Ending, Guidance, Position, State, Task};
use crate::step::Step;

impl State {
    pub(crate) fn interrupted(&mut self, mut task: Task, at: Timestamp) {
        task.tries.interrupted += 1;
        let times = task.tries.interrupted;
        if times <= self.start.policy.max_interruptions {
            self.position = Position::Running { task, since: at };
            return;
        }
        let step = task.step;
        self.ask(Reason::Interrupted { step, times }, task.afresh());
    }

    pub(crate) fn failed(&mut self, task: Task, at: Timestamp, failure: &Failure) {
        if task.step == Step::CleanUp {
            return self.clean_up_failed(task, at, failure);
        }
        if let Some(reason) = self.cancelling.clone() {
            return self.clean_up(Ending::cancelled(reason));
        }
        let step = task.step;
        let failed = |failure: &Failure| Reason::StepFailed {
            step,
            failure: failure.clone(),
        };
        match failure.kind {
            FailureKind::Transient => match self.pause_after(&task, failure) {
                Some(pause) => self.rest(task, at, pause, failure),
                None => self.ask(failed(failure), task.afresh().with_failure(failure)),
            },
            FailureKind::Stalled => self.stalled(task, failure),
            FailureKind::Unproven => self.unproven(task, failure),
            FailureKind::Blocked => self.blocked(task, at, failure),
            FailureKind::Rejected => {
                let reason = Reason::Rejected {
                    by: step,
                    failure: failure.clone(),
                };
                let again = match self.passed.last().map(|passed| passed.step) {
                    Some(sender) => self.new_task(sender),
                    None => task.afresh(),
                };
                self.ask(reason, again.with_failure(failure));
            }
            FailureKind::Permanent | FailureKind::Cancelled => {
                self.ask_about_evidence(failed(failure), task, failure);
            }
        }
    }

    /// How long to wait before the next attempt; `None` when there is none.
    fn pause_after(&self, task: &Task, failure: &Failure) -> Option<Duration> {
        let policy = &self.start.policy;
        let tries = usize::try_from(task.tries.transient).unwrap_or(usize::MAX);
        let pause = Duration::from_millis(*policy.retry_pauses_ms.get(tries)?);
        let asked_for = failure.retry_after.unwrap_or_default();
        (asked_for <= policy.longest_pause).then(|| pause.max(asked_for))
    }

    fn rest(&mut self, mut task: Task, at: Timestamp, pause: Duration, failure: &Failure) {
        task.tries.transient += 1;
        self.position = Position::Resting {
            until: after(at, pause),
            task: task.with_failure(failure),
            blocked: failure.kind == FailureKind::Blocked,
        };
    }

    fn stalled(&mut self, mut task: Task, failure: &Failure) {
        task.tries.stalled += 1;
        if task.tries.stalled <= self.start.policy.max_stalls {
            return self.proceed(task.again().with_failure(failure));
        }
        let reason = Reason::StepFailed {
            step: task.step,
            failure: failure.clone(),
        };
        self.ask(reason, task.afresh().with_failure(failure));
    }

    fn unproven(&mut self, mut task: Task, failure: &Failure) {
        let tries = &mut task.tries;
        tries.unproven += 1;
        let times = match &tries.same {
            Some((message, times)) if *message == failure.message => times + 1,
            _ => 1,
        };
        tries.same = Some((failure.message.clone(), times));
        let is_spent = tries.unproven >= UNPROVEN_TRIES;
        if times >= SAME_FAILURES {
            let reason = Reason::SameFailure {
                times,
                failure: failure.message.clone(),
            };
            self.ask_about_evidence(reason, task, failure);
        } else if is_spent {
            let reason = Reason::StepFailed {
                step: task.step,
                failure: failure.clone(),
            };
            self.ask_about_evidence(reason, task, failure);
        } else {
            self.proceed(task.again().with_failure(failure));
        }
    }

    /// A person may know what the evidence does not show: a test that was rightly
    /// deleted, a large file that belongs there.
    fn ask_about_evidence(&mut self, reason: Reason, task: Task, failure: &Failure) {
        self.ask(reason, task.afresh().with_failure(failure));
        self.offer_to_accept(failure);
    }

    fn offer_to_accept(&mut self, failure: &Failure) {
        if let Position::Asking(asking) = &mut self.position
            && failure.acceptable
        {
            let options = &mut asking.question.options;
            let before_stop = options.len().saturating_sub(1);
            let label = "accept it as it is; --comment says why";
            options.insert(before_stop, Choice::new(choice::ACCEPT, label));
            asking.question.objections.clone_from(&failure.objections);
        }
    }

    fn blocked(&mut self, mut task: Task, at: Timestamp, failure: &Failure) {
        let policy = &self.start.policy;
        let looks_again = task.tries.rechecks < policy.max_rechecks;
        let pause = policy
            .recheck_every
            .max(failure.retry_after.unwrap_or_default());
        task.tries.rechecks += 1;
        if policy.unattended && looks_again {
            return self.rest(task, at, pause, failure);
        }
        let reason = Reason::Blocked {
            step: task.step,
            failure: failure.clone(),
        };
        self.ask(reason, task.with_failure(failure));
        self.offer_to_accept(failure);
        if let Position::Asking(asking) = &mut self.position
            && looks_again
        {
            asking.recheck = Some(after(at, pause));
        }
    }

    fn clean_up_failed(&mut self, mut task: Task, at: Timestamp, failure: &Failure) {
        /// Limits how long the end of a run can be delayed.
        const TRIES: u32 = 3;
        if failure.kind == FailureKind::Transient
            && task.tries.transient < TRIES
            && let Some(pause) = self.pause_after(&task, failure)
        {
            return self.rest(task, at, pause, failure);
        }
        task.tries.stalled += 1;
        if failure.kind == FailureKind::Stalled
            && task.tries.stalled <= self.start.policy.max_stalls
        {
            self.position = Position::Ready(task.again());
            return;
        }
        self.end_after_clean_up(Some(failure.message.clone()));
    }
}

impl Task {
    fn with_failure(self, failure: &Failure) -> Self {
        self.with_guidance(Guidance::Failure(failure.message.clone()))
    }
}

fn after(at: Timestamp, pause: Duration) -> Timestamp {
    let pause = SignedDuration::try_from(pause).unwrap_or(SignedDuration::MAX);
    at.saturating_add(pause).unwrap_or(Timestamp::MAX)
}
