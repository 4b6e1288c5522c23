//! The transitions of a state. Each leaves it at a position.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use baton_protocol::handoff::Handoff;
use jiff::{SignedDuration, Timestamp};

use crate::event::{Answer, Report, Start};
use crate::objection::{AcceptedObjection, Objection};
use crate::outcome::{Failure, FailureKind, Usage};
use crate::progress::{FailedChecks, SAME_FAILURES};
use crate::question::{Choice, Question, Reason, StepQuestion, choice};
use crate::routing::{Rejection, Route};
use crate::state::{Asking, Ending, Guidance, Passed, Position, Rounds, State, Task};
use crate::step::{Stage, Step};

impl State {
    pub(crate) fn begin(start: Arc<Start>, at: Timestamp) -> Self {
        let mut state = Self {
            budget: start.policy.budget,
            start,
            created: at,
            changed: at,
            stage: Stage::Created,
            position: Position::Ended(Ending::Closed),
            numbered: 0,
            passed: Vec::new(),
            accepted: Vec::new(),
            rounds: Rounds::default(),
            active: Duration::ZERO,
            clock_set: SignedDuration::ZERO,
            usage: Usage::default(),
            cancelling: None,
            ending: None,
        };
        let task = state.new_task(Step::Issue);
        state.position = Position::Ready(task);
        state
    }

    pub(crate) fn can_be_cancelled(&self) -> bool {
        let is_over = matches!(self.position, Position::Ended(_));
        !is_over && self.cancelling.is_none() && self.ending.is_none()
    }

    /// Whether the running step may report this.
    pub fn check_report(&self, report: &Report) -> Result<(), Rejection> {
        match self.task() {
            Some(task) => self.route(task.step, report).map(|_| ()),
            None => Ok(()),
        }
    }

    pub(crate) fn route(&self, step: Step, report: &Report) -> Result<Route, Rejection> {
        let route = step.route(report, &self.start.goal)?;
        let known = self
            .passed
            .iter()
            .find_map(|passed| passed.handoff.issue_number());
        let named = match report {
            Report::Passed { handoff } => handoff.issue_number(),
            Report::Done | Report::Asks { .. } => None,
        };
        match known.zip(named) {
            Some((expected, found)) if expected != found => Err(Rejection::OtherIssue {
                expected: expected.get(),
                found: found.get(),
            }),
            _ => Ok(route),
        }
    }

    pub(crate) fn account(&mut self, since: Timestamp, until: Timestamp, usage: &Usage) {
        /// Two clocks never agree to the last millisecond.
        const DRIFT: SignedDuration = SignedDuration::from_secs(2);
        let by_clock = until.duration_since(since);
        let spent = match usage.elapsed() {
            Some(elapsed) => {
                let elapsed_by = SignedDuration::try_from(elapsed).unwrap_or(SignedDuration::MAX);
                let set_by = by_clock.saturating_sub(elapsed_by);
                if set_by.abs() > DRIFT {
                    self.clock_set = self.clock_set.saturating_add(set_by);
                }
                elapsed
            }
            // A clock that was set back cannot give time back.
            None => Duration::try_from(by_clock).unwrap_or_default(),
        };
        self.active = self.active.saturating_add(spent);
        self.usage.add(usage);
    }

    pub(crate) fn finished(&mut self, task: Task, at: Timestamp, report: &Report, route: Route) {
        if let Report::Passed { handoff } = report
            && !matches!(route, Route::Failed(_))
        {
            self.passed.push(Passed {
                key: task.key.clone(),
                step: task.step,
                at,
                handoff: Arc::new((**handoff).clone()),
            });
        }
        // A merge cannot be undone, so the run is brought to its end instead.
        if matches!(route, Route::To(Step::Close) | Route::Complete) {
            self.cancelling = None;
        }
        if let Some(reason) = self.cancelling.clone()
            && task.step != Step::CleanUp
        {
            return self.clean_up(Ending::cancelled(reason));
        }
        match route {
            Route::To(next) if self.ends_before(task.step, next) => {
                let until = self.start.policy.until;
                self.clean_up(Ending::Reached {
                    until,
                    left_behind: None,
                });
            }
            Route::To(step) => self.go_to(step),
            Route::Findings(findings) => self.found(findings),
            Route::Failures(failures) => self.not_valid(failures),
            Route::Failed(failure) => self.failed(task, at, &failure),
            Route::Ask(question) => self.step_asks(task, question),
            Route::Complete => {
                self.stage = Stage::Closed;
                self.position = Position::Ended(Ending::Closed);
            }
            Route::CleanedUp => self.end_after_clean_up(None),
        }
    }

    /// Whether the run has gone as far as it was to go. A pull request that is there already
    /// has to get further than that.
    fn ends_before(&self, step: Step, next: Step) -> bool {
        let is_adopted = step == Step::Prepare;
        !is_adopted && self.start.policy.until.is_before(next)
    }

    fn found(&mut self, findings: BTreeSet<String>) {
        let is_same = self.rounds.findings.as_ref() == Some(&findings);
        self.rounds.findings = Some(findings);
        self.rounds.review += 1;
        let max = self.start.policy.max_review_rounds;
        let reason = if is_same {
            Reason::SameFindings
        } else if self.rounds.review > max {
            Reason::ReviewRounds {
                rounds: self.rounds.review,
            }
        } else {
            return self.go_to(Step::Fix);
        };
        let objections = match self.passed.last().map(|passed| &*passed.handoff) {
            Some(Handoff::ChangesRequested(review)) => Objection::all_of(review),
            _ => Vec::new(),
        };
        let task = self.new_task(Step::Fix);
        self.ask(reason, task);
        if let Position::Asking(asking) = &mut self.position {
            asking.otherwise = Some(Step::Validate);
            asking.question.objections = objections;
        }
    }

    fn not_valid(&mut self, failures: FailedChecks) {
        let times = match &self.rounds.failures {
            Some((before, times)) if *before == failures => times + 1,
            _ => 1,
        };
        let first = failures.checks.first().cloned().unwrap_or_default();
        self.rounds.failures = Some((failures, times));
        self.rounds.validation += 1;
        let reason = if times >= SAME_FAILURES {
            Reason::SameFailure {
                times,
                failure: first,
            }
        } else if self.rounds.validation > self.start.policy.max_validation_rounds {
            Reason::ValidationRounds {
                rounds: self.rounds.validation,
            }
        } else {
            return self.go_to(Step::Fix);
        };
        let task = self.new_task(Step::Fix);
        self.ask(reason, task);
    }

    fn step_asks(&mut self, mut task: Task, question: StepQuestion) {
        task.tries.questions += 1;
        let step = task.step;
        if task.tries.questions > self.start.policy.max_step_questions {
            let failure = Failure::new(FailureKind::Permanent, "it keeps asking questions");
            return self.ask(Reason::StepFailed { step, failure }, task.afresh());
        }
        let text = question.text;
        self.ask(Reason::FromStep { step, text }, task);
        if let Position::Asking(asking) = &mut self.position {
            let mut all = question.options;
            if all.is_empty() {
                all.push(Choice::new(choice::GO_ON, "answer in a comment"));
            }
            all.append(&mut asking.question.options);
            asking.question.options = all;
            asking.question.objections = question.objections;
        }
    }

    pub(crate) fn answered(&mut self, asking: Asking, answer: &Answer) {
        let Asking {
            question,
            mut task,
            otherwise,
            ..
        } = asking;
        if answer.choice == choice::STOP {
            let reason = format!("stopped at a question: {}", question.reason);
            return self.clean_up(Ending::cancelled(reason));
        }
        if answer.choice == choice::ACCEPT {
            self.accept(question.objections, answer);
        }
        match question.reason {
            Reason::Pass { .. } => task.agreed = true,
            Reason::ReviewRounds { .. } | Reason::SameFindings => {
                self.rounds.review = 0;
                if let (choice::ACCEPT, Some(step)) = (answer.choice, otherwise) {
                    task = self.new_task(step);
                }
            }
            Reason::ValidationRounds { .. } | Reason::SameFailure { .. } => {
                self.rounds.validation = 0;
                self.rounds.failures = None;
            }
            Reason::BudgetSpent { .. } => {
                let more = self.start.policy.budget;
                self.budget.extend(&more, self.active, &self.usage);
            }
            Reason::Blocked { .. } => task = task.afresh(),
            Reason::FromStep { .. } => task = task.with_guidance(Guidance::Answer(answer.clone())),
            Reason::StepFailed { .. } | Reason::Rejected { .. } | Reason::Interrupted { .. } => {}
        }
        let is_accepted = answer.choice == choice::ACCEPT;
        if (answer.comment.is_some() || is_accepted)
            && !task.guidance.ends_with(&[Guidance::Answer(answer.clone())])
        {
            task = task.with_guidance(Guidance::Answer(answer.clone()));
        }
        self.proceed(task);
    }

    /// What a person accepts stays accepted for the rest of the run.
    fn accept(&mut self, objections: Vec<Objection>, answer: &Answer) {
        for objection in objections {
            let known =
                |one: &AcceptedObjection| one.objection.fingerprint == objection.fingerprint;
            if !self.accepted.iter().any(known) {
                self.accepted.push(AcceptedObjection {
                    objection,
                    reason: answer.comment.clone(),
                });
            }
        }
    }

    fn go_to(&mut self, step: Step) {
        if step == Step::Validate {
            self.rounds.review = 0;
            self.rounds.findings = None;
        }
        if self.has_no_commands_left() {
            return self.give_up();
        }
        let task = self.new_task(step);
        self.proceed(task);
    }

    /// Starts the step, unless approval is needed first.
    pub(crate) fn proceed(&mut self, task: Task) {
        if task.step != Step::CleanUp {
            if let Some(what) = self.budget.spent(self.active, &self.usage) {
                return self.ask(Reason::BudgetSpent { what }, task);
            }
            if !task.agreed && self.start.policy.mode.asks_before(task.step) {
                let before = task.step;
                return self.ask(Reason::Pass { before }, task);
            }
        }
        if let Some(stage) = task.step.stage() {
            self.stage = stage;
        }
        self.position = Position::Ready(task);
    }

    pub(crate) fn ask(&mut self, reason: Reason, task: Task) {
        if task.step == Step::CleanUp {
            return self.end_after_clean_up(Some(reason.to_string()));
        }
        if self.start.policy.unattended {
            return self.clean_up(Ending::failed(reason.to_string()));
        }
        if self.has_no_commands_left() {
            return self.give_up();
        }
        let question = Question {
            key: self.number("ask"),
            options: reason.options(),
            objections: Vec::new(),
            reason,
        };
        self.position = Position::Asking(Box::new(Asking {
            question,
            known: false,
            task,
            otherwise: None,
            recheck: None,
        }));
    }

    fn give_up(&mut self) {
        let count = self.numbered;
        self.clean_up(Ending::failed(format!(
            "gave up after {count} steps and questions"
        )));
    }

    pub(crate) fn clean_up(&mut self, ending: Ending) {
        self.ending = Some(ending);
        let task = self.new_task(Step::CleanUp);
        self.position = Position::Ready(task);
    }

    pub(crate) fn end_after_clean_up(&mut self, error: Option<String>) {
        let ending = self
            .ending
            .take()
            .unwrap_or_else(|| Ending::failed("the run ended without a reason"));
        self.position = Position::Ended(match error {
            Some(error) => ending.leaving(error),
            None => ending,
        });
    }
}
