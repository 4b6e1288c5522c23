//! Keeps the steps of a log that contain results, as many as the memory limit
//! allows.

use crate::arbiter::Step;

/// No real log has more relevant steps, runs or failures.
const MAX_STEPS: usize = 1_000;
const MAX_SESSIONS: usize = 5_000;
const MAX_BYTES: usize = 16 << 20;

#[derive(Default)]
pub(crate) struct Steps {
    steps: Vec<Step>,
    size: Size,
}

#[derive(Default)]
struct Size {
    sessions: usize,
    bytes: usize,
}

impl Steps {
    pub(crate) fn push(&mut self, step: Step) {
        let size = Size::for_step(&step);
        self.size.sessions += size.sessions;
        self.size.bytes += size.bytes;
        self.steps.push(step);
        while self.steps.len() > 1 && self.is_too_large() {
            self.forget_one();
        }
    }

    pub(crate) fn into_vec(self) -> Vec<Step> {
        self.steps
    }

    fn is_too_large(&self) -> bool {
        self.steps.len() > MAX_STEPS
            || self.size.sessions > MAX_SESSIONS
            || self.size.bytes > MAX_BYTES
    }

    /// The end of a log is kept first, because a job fails there, and failed
    /// steps are kept before those that passed.
    fn forget_one(&mut self) {
        let oldest = self.steps.iter().position(|step| !step.failed);
        let forgotten = Size::for_step(&self.steps.remove(oldest.unwrap_or(0)));
        self.size.sessions -= forgotten.sessions;
        self.size.bytes -= forgotten.bytes;
    }
}

impl Size {
    fn for_step(step: &Step) -> Self {
        let failures = step.sessions.iter().flat_map(|session| &session.failures);
        Self {
            sessions: step.sessions.len(),
            bytes: failures.map(super::session::Failure::bytes).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, MAX_STEPS, Steps};
    use crate::arbiter::Step;
    use crate::session::{Failure, Session};

    fn step(number: usize, failed: bool) -> Step {
        Step {
            name: Some(number.to_string()),
            failed,
            ..Step::default()
        }
    }

    fn names(steps: Steps) -> Vec<String> {
        let named = steps.into_vec().into_iter();
        named.filter_map(|step| step.name).collect()
    }

    #[test]
    fn the_latest_steps_are_kept_and_those_that_failed() {
        let mut steps = Steps::default();
        for number in 0..MAX_STEPS + 2 {
            steps.push(step(number, number == 0));
        }
        let names = names(steps);
        assert_eq!(names.len(), MAX_STEPS);
        assert_eq!(names[..2], ["0", "3"]);
    }

    #[test]
    fn long_errors_push_older_ones_out() {
        let mut steps = Steps::default();
        for number in 0..3 {
            let mut session = Session::new("pytest", 1);
            let mut failure = Failure::named("a");
            failure.error = "x".repeat(MAX_BYTES / 2);
            session.add(failure);
            steps.push(Step {
                sessions: vec![session],
                ..step(number, true)
            });
        }
        assert_eq!(names(steps), ["2"]);
    }
}
