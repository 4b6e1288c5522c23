//! The course of a call: build, first run, retries, the end.

use std::time::Duration;

use baton_host::cmd::{Cmd, CmdError, Finished, Outcome, ShellVerdict};
use baton_protocol::phase::testing::{
    FailedCommand, FailingTest, TestFailure, TestingError, TestingErrorType, TestingInput,
    TestingOutput,
};
use baton_protocol::phase::testing_details::{AttemptScope, TestingDetails};
use baton_protocol::phase::{StepStatus, Verdict as PhaseVerdict};

use super::attempt::{self, Attempt};
use super::diagnosis::{self, Diagnosis};
use super::escalation::{self, Decision};
use super::plan::{self, Plan, TestCommand};
use super::suite::Suite;
use super::verdict::Verdict;
use super::{Answer, Event, FlakyPolicy, Options, selection};
use crate::command_line::{self, exit_code, milliseconds};
use crate::context::Context;

/// One call of the phase, as it goes on.
pub(super) struct Phase<'a> {
    pub(super) cx: &'a Context,
    pub(super) input: &'a TestingInput,
    pub(super) plan: Plan,
    pub(super) options: Options,
    pub(super) suite: Suite,
    /// The test command that is reported.
    command: String,
    build_status: StepStatus,
    build_command: Option<String>,
    /// Retries in the current round.
    pub(super) retry_count: u64,
}

impl<'a> Phase<'a> {
    pub(super) fn new(
        cx: &'a Context,
        input: &'a TestingInput,
        plan: Plan,
        options: Options,
    ) -> Self {
        Self {
            cx,
            input,
            command: plan.tests[0].command.clone(),
            plan,
            options,
            suite: Suite::default(),
            build_status: StepStatus::Skipped,
            build_command: None,
            retry_count: 0,
        }
    }
}

impl Phase<'_> {
    /// The errors that the phase ends with; none on a pass.
    pub(super) async fn play(&mut self) -> Vec<TestingError> {
        if let Some(error) = self.build().await {
            return vec![error];
        }
        let first = self.first_attempt().await;
        match first {
            Ok(attempt) => self.settle(attempt).await,
            Err(error) => vec![error],
        }
    }

    async fn build(&mut self) -> Option<TestingError> {
        let command = self.plan.build.clone()?;
        self.cx.emit(Event::BuildStarted {
            command: &command.command,
        });
        self.build_command = Some(command.command.clone());
        let mut ran = self.run_build(&command.command).await;
        if let (Ok(finished), Some(other)) = (&ran, &command.fallback)
            && finished.outcome.shell_verdict() == Some(ShellVerdict::NotFound)
        {
            ran = self.run_build(other).await;
        }
        self.build_status = StepStatus::Fail;
        let finished = match ran {
            Ok(finished) => finished,
            Err(error) => return Some(cannot_start(&command.command, &error)),
        };
        if finished.success() {
            self.build_status = StepStatus::Pass;
            return None;
        }
        if finished.outcome == Outcome::Cancelled {
            return Some(self.interrupted_error());
        }
        let stderr = command_line::tail(&finished.stdout.text());
        let failed = FailedCommand {
            command: &command.command,
            exit_code: exit_code(finished.outcome),
            signal: finished.outcome.signal(),
            stderr: &stderr,
        };
        Some(match finished.outcome.shell_verdict() {
            Some(ShellVerdict::NotFound) => {
                TestingError::build_command_not_found(failed, &self.plan.suggestion)
            }
            _ => TestingError::build_failure(failed),
        })
    }

    async fn run_build(&mut self, command: &str) -> Result<Finished, CmdError> {
        let events = &self.cx.events;
        Cmd::shell(command, &self.plan.folder, &self.cx.environment)
            .merged()
            .wall_limit(Duration::from_secs(self.input.timeout_seconds))
            .run_observed(&self.cx.cancel, &mut |chunk| {
                events.emit(Event::Output(chunk.bytes));
            })
            .await
    }

    /// The first run, with the first command that is there.
    async fn first_attempt(&mut self) -> Result<Attempt, TestingError> {
        let limit = self.input.timeout_seconds;
        let mut refusal = None;
        let commands: Vec<TestCommand> = self.plan.tests.clone();
        let mut previous = None;
        for candidate in &commands {
            if !candidate.applies_after(previous) {
                continue;
            }
            let attempt = self.first_run_of(&candidate.command, limit).await?;
            previous = Some(attempt.verdict);
            match attempt.verdict {
                Verdict::NotFound => {
                    refusal.get_or_insert((candidate.command.clone(), attempt.tail.clone()));
                }
                Verdict::RaceUnsupported => {}
                // Whatever stands in for a runner that is missing and finds no
                // tests says nothing about those of the missing one.
                _ if refusal.is_some() && attempt.found_no_tests() => {
                    self.suite.forget_last();
                    previous = Some(Verdict::NotFound);
                }
                _ => {
                    self.command.clone_from(&candidate.command);
                    return Ok(attempt);
                }
            }
        }
        // All are missing: the first one, which is the default, is reported.
        let (command, tail) = refusal.unwrap_or_else(|| (self.command.clone(), String::new()));
        Err(self.not_found(FailedCommand {
            command: &command,
            exit_code: None,
            signal: None,
            stderr: &tail,
        }))
    }

    /// Everything, unless only some tests are wanted and can be selected.
    async fn first_run_of(&mut self, command: &str, limit: u64) -> Result<Attempt, TestingError> {
        let only = selection::by_name(command, &self.plan.folder, &self.options.only);
        if let Some(arguments) = only {
            let attempt = self
                .attempt(command, AttemptScope::FailedTests, Some(arguments), limit)
                .await?;
            if attempt.ran_at_least(1) || attempt.verdict == Verdict::Cancelled {
                return Ok(attempt);
            }
            self.suite.forget_last();
        }
        self.attempt(command, AttemptScope::WholeSuite, None, limit)
            .await
    }

    /// Retries until it passes, cannot be retried, or no one wants more.
    async fn settle(&mut self, first: Attempt) -> Vec<TestingError> {
        let mut last = first;
        let mut limit = self.input.timeout_seconds;
        loop {
            if last.verdict == Verdict::Passed {
                return Vec::new();
            }
            if let Some(error) = self.final_error(&last) {
                return vec![error];
            }
            if last.verdict == Verdict::TimedOut {
                limit = limit.saturating_add(limit.div_ceil(2));
            }
            if self.retry_count < self.input.max_retries {
                self.retry_count += 1;
                if !self.pause().await {
                    return vec![self.interrupted_error()];
                }
            } else {
                match escalation::decide(self).await {
                    Decision::Retry => {
                        self.retry_count = 0;
                        if self.input.max_retries > 0 {
                            continue;
                        }
                    }
                    Decision::GoOn => return vec![self.exhausted(&last, limit, true)],
                    Decision::Abort => {
                        return vec![TestingError::user_abort(
                            self.suite.failed(),
                            self.suite.attempts(),
                        )];
                    }
                    Decision::Unanswered => return vec![self.exhausted(&last, limit, false)],
                }
            }
            last = match self.retry(&last, limit).await {
                Ok(attempt) => attempt,
                Err(error) => return vec![error],
            };
        }
    }

    /// What ends the phase without another try.
    fn final_error(&self, last: &Attempt) -> Option<TestingError> {
        let failed = FailedCommand {
            command: &self.command,
            exit_code: last.exit_code,
            signal: last.signal,
            stderr: &last.tail,
        };
        match last.verdict {
            Verdict::Failed if self.suite.looks_like_infrastructure() => {
                Some(TestingError::test_failure(TestFailure {
                    infrastructure: true,
                    ..self.failure_facts()
                }))
            }
            Verdict::Failed if self.suite.counted_nothing() => {
                let found = self.diagnosis(&last.tail)?;
                let error = TestingError::uncounted_test_failure(self.failure_facts(), failed);
                Some(error.because(found.cause, &found.evidence, &found.remedy))
            }
            Verdict::Passed | Verdict::TimedOut | Verdict::Failed => None,
            Verdict::DoesNotCompile => Some(TestingError::build_failure(failed)),
            Verdict::NotFound | Verdict::RaceUnsupported => Some(self.not_found(failed)),
            Verdict::NotPermitted => Some(TestingError::permission_error(failed)),
            Verdict::OutOfMemory => Some(TestingError::out_of_memory(failed)),
            Verdict::Cancelled => Some(self.interrupted_error()),
        }
    }

    /// A program that is missing, and what to do. Where a script or the user named it, the tools
    /// of the language may all be there.
    fn not_found(&self, failed: FailedCommand<'_>) -> TestingError {
        if let Some(found) = self.diagnosis(failed.stderr) {
            return TestingError::test_command_not_found(failed, &found.remedy);
        }
        let suggestion = match &self.input.test_command {
            Some(command) if command == failed.command => plan::INSTALL_IT,
            _ => &self.plan.suggestion,
        };
        TestingError::test_command_not_found(failed, suggestion)
    }

    fn diagnosis(&self, tail: &str) -> Option<Diagnosis> {
        let project = diagnosis::Project {
            folder: &self.plan.folder,
            language: self.plan.language,
            install: self.plan.install.as_deref(),
        };
        diagnosis::find(tail, &project)
    }

    fn interrupted_error(&self) -> TestingError {
        TestingError::interrupted(self.suite.failed(), self.suite.attempts())
    }

    /// The error after the last retry.
    fn exhausted(&self, last: &Attempt, limit: u64, user_override: bool) -> TestingError {
        if last.verdict == Verdict::TimedOut {
            // The limit was raised for a try that is not made.
            let used = last.timeout_seconds.min(limit);
            return TestingError::timeout(&self.command, used, self.retry_count);
        }
        let facts = TestFailure {
            user_override,
            ..self.failure_facts()
        };
        if self.suite.failed() > 0 {
            return TestingError::test_failure(facts);
        }
        TestingError::uncounted_test_failure(
            facts,
            FailedCommand {
                command: &self.command,
                exit_code: last.exit_code,
                signal: last.signal,
                stderr: &last.tail,
            },
        )
    }

    /// A pass that the policy does not let through.
    pub(super) fn flaky_error(&self) -> Option<TestingError> {
        let flaky = self.suite.flaky().len() as u64;
        (self.options.flaky == FlakyPolicy::Fail && flaky > 0).then(|| {
            TestingError::test_failure(TestFailure {
                failed_count: flaky,
                ..self.failure_facts()
            })
        })
    }

    /// Adds what was seen to the history; the hash of what was tested.
    pub(super) async fn remember(&self) -> Option<String> {
        let history = self.options.history.as_ref()?;
        history
            .record(
                &self.plan.folder,
                &self.cx.environment,
                &self.cx.cancel,
                self.suite.records(),
            )
            .await
    }

    fn failure_facts(&self) -> TestFailure {
        TestFailure {
            failed_count: self.suite.failed(),
            retry_count: self.retry_count,
            total_attempts: self.suite.attempts(),
            flaky: !self.suite.flaky().is_empty(),
            infrastructure: false,
            user_override: false,
        }
    }

    /// Waits as asked before the retry that was just counted; false when
    /// cancelled meanwhile.
    async fn pause(&mut self) -> bool {
        let backoff = &self.input.retry_backoff_ms;
        let index = usize::try_from(self.retry_count - 1).unwrap_or(usize::MAX);
        let wait = backoff.get(index).or(backoff.last()).copied().unwrap_or(0);
        let pause = Duration::from_millis(wait);
        self.cx.emit(Event::Waiting {
            before_retry: self.retry_count,
            pause,
        });
        tokio::select! {
            () = tokio::time::sleep(pause) => true,
            () = self.cx.cancel.cancelled() => false,
        }
    }

    /// Only what failed, where the runner can select it; else everything.
    async fn retry(&mut self, last: &Attempt, limit: u64) -> Result<Attempt, TestingError> {
        let command = self.command.clone();
        let wanted = selection::distinct(self.suite.failures());
        if last.verdict == Verdict::Failed
            && let Some(arguments) =
                selection::select(&command, &self.plan.folder, last, self.suite.failures())
        {
            let attempt = self
                .attempt(&command, AttemptScope::FailedTests, Some(arguments), limit)
                .await?;
            // A selection that ran nothing, or less, proves nothing.
            if attempt.ran_at_least(wanted) || attempt.verdict == Verdict::Cancelled {
                return Ok(attempt);
            }
            self.suite.forget_last();
        }
        self.attempt(&command, AttemptScope::WholeSuite, None, limit)
            .await
    }

    async fn attempt(
        &mut self,
        command: &str,
        scope: AttemptScope,
        arguments: Option<Vec<String>>,
        limit: u64,
    ) -> Result<Attempt, TestingError> {
        let number = self.suite.attempts() + 1;
        let shown = match &arguments {
            Some(words) => command_line::shown(words),
            None => command.to_owned(),
        };
        self.cx.emit(Event::AttemptStarted {
            number,
            command: &shown,
            scope,
        });
        let attempt = attempt::run(attempt::Task {
            number,
            command,
            shown,
            scope,
            arguments,
            lists_cases: self.options.lists_cases && scope == AttemptScope::WholeSuite,
            limit_seconds: limit,
            language: self.plan.language,
            folder: &self.plan.folder,
            cx: self.cx,
        })
        .await
        .map_err(|error| cannot_start(command, &error))?;
        self.suite.add(&attempt);
        self.cx.emit(Event::AttemptFinished(&attempt.record));
        Ok(attempt)
    }

    pub(super) fn answer(
        self,
        errors: Vec<TestingError>,
        tree: Option<String>,
        elapsed: Duration,
    ) -> Answer {
        let counts = self.suite.counts();
        let passed = errors.is_empty();
        let compiles = !errors
            .iter()
            .any(|e| e.kind == TestingErrorType::BuildFailure);
        let output = TestingOutput {
            status: if passed {
                PhaseVerdict::Pass
            } else {
                PhaseVerdict::Fail
            },
            execution_time_ms: milliseconds(elapsed),
            retry_count: self.retry_count,
            tests_run: counts.run,
            tests_passed: counts.passed,
            tests_failed: if passed {
                0
            } else {
                counts.failed + counts.errors
            },
            build_status: if compiles {
                self.build_status
            } else {
                StepStatus::Fail
            },
            failing_tests: if passed {
                Vec::new()
            } else {
                self.suite
                    .failures()
                    .iter()
                    .map(|failure| FailingTest {
                        name: failure.name.clone(),
                        file: failure
                            .file
                            .as_deref()
                            .map(|file| plan::located(file, &self.plan.folder)),
                        error: failure.error.clone(),
                    })
                    .collect()
            },
            language: self.plan.language,
            test_command: Some(self.command.clone()),
            build_command: self.build_command.clone(),
            errors,
        };
        let interrupted = self.cx.cancel.is_cancelled();
        Answer {
            cases: self.suite.cases().to_vec(),
            details: TestingDetails {
                version: 1,
                output: output.clone(),
                language_reason: Some(self.plan.language_reason.clone()),
                test_command_reason: Some(self.plan.reason_for(&self.command)),
                framework: self.suite.framework(),
                flaky: self.suite.flaky(),
                attempts: self.suite.into_records(),
                tree,
            },
            output,
            interrupted,
        }
    }
}

fn cannot_start(command: &str, error: &CmdError) -> TestingError {
    let failed = FailedCommand {
        command,
        exit_code: None,
        signal: None,
        stderr: &error.to_string(),
    };
    TestingError::permission_error(failed)
}
