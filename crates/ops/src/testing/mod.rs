//! The testing phase: find out the language, resolve the commands, build once,
//! run, read, retry what failed, and ask when the retries are used up.

mod attempt;
mod escalation;
mod junit;
mod machine_report;
mod plan;
mod selection;
mod suite;
mod verbosity;
mod verdict;

use std::time::{Duration, Instant};

use baton_host::cmd::{Cmd, CmdError, Environment, Finished, Outcome, ShellVerdict};
use baton_protocol::Language;
use baton_protocol::phase::testing::{
    FailedCommand, FailingTest, TestFailure, TestingError, TestingInput, TestingOutput,
};
use baton_protocol::phase::testing_details::{AttemptScope, TestAttempt, TestingDetails};
use baton_protocol::phase::{StepStatus, Verdict as PhaseVerdict};
use tokio_util::sync::CancellationToken;

pub use junit::as_junit;

use self::attempt::Attempt;
use self::escalation::Decision;
use self::plan::{Plan, Refusal, TestCommand};
use self::suite::Suite;
use self::verdict::Verdict;
use crate::question::Ask;

/// What the operation needs of its surroundings.
pub struct Surroundings<'a> {
    /// For the commands it runs.
    pub environment: &'a Environment,
    pub cancel: &'a CancellationToken,
    /// Commands from baton's own configuration, which outrank detection.
    pub preferred: Preferred,
    /// Whoever can be asked when the retries are used up.
    pub ask: &'a mut dyn Ask,
    pub observe: &'a mut (dyn FnMut(Event<'_>) + Send),
}

#[derive(Clone, Debug, Default)]
pub struct Preferred {
    pub test: Option<String>,
    pub build: Option<String>,
}

/// What happens on the way.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    BuildStarted {
        command: &'a str,
    },
    AttemptStarted {
        number: u64,
        command: &'a str,
        scope: AttemptScope,
    },
    /// Bytes that a command printed.
    Output(&'a [u8]),
    AttemptFinished(&'a TestAttempt),
    Waiting {
        before_retry: u64,
        pause: Duration,
    },
}

/// The phase's output, and everything beyond it.
#[derive(Clone, Debug)]
pub struct Answer {
    pub output: TestingOutput,
    pub details: TestingDetails,
    /// The caller's token was cancelled; the output is what was known by then.
    pub interrupted: bool,
}

/// Runs the phase. Whatever goes wrong is part of the answer.
pub async fn run(input: &TestingInput, surroundings: Surroundings<'_>) -> Answer {
    let started = Instant::now();
    let plan = match plan::make(input, surroundings.environment, &surroundings.preferred) {
        Ok(plan) => plan,
        Err(Refusal { language, errors }) => {
            return refused(language, errors, started.elapsed());
        }
    };
    let mut phase = Phase {
        input,
        command: plan.tests[0].command.clone(),
        plan,
        surroundings,
        suite: Suite::default(),
        build_status: StepStatus::Skipped,
        build_command: None,
        retry_count: 0,
    };
    let errors = phase.play().await;
    phase.answer(errors, started.elapsed())
}

/// The answer to a request that was refused before anything ran.
pub fn refused(language: Option<Language>, errors: Vec<TestingError>, elapsed: Duration) -> Answer {
    let mut output = TestingOutput::refused(language, errors);
    output.execution_time_ms = milliseconds(elapsed);
    Answer {
        details: TestingDetails {
            version: 1,
            output: output.clone(),
            language_reason: None,
            test_command_reason: None,
            framework: None,
            attempts: Vec::new(),
            flaky: Vec::new(),
            tree: None,
        },
        output,
        interrupted: false,
    }
}

struct Phase<'i, 's> {
    input: &'i TestingInput,
    plan: Plan,
    surroundings: Surroundings<'s>,
    suite: Suite,
    /// The test command that is reported.
    command: String,
    build_status: StepStatus,
    build_command: Option<String>,
    /// Retries in the current round.
    retry_count: u64,
}

impl Phase<'_, '_> {
    /// The errors that the phase ends with; none on a pass.
    async fn play(&mut self) -> Vec<TestingError> {
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
        (self.surroundings.observe)(Event::BuildStarted {
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
        let stderr = verdict::tail(&finished.stdout.text());
        let failed = FailedCommand {
            command: &command.command,
            exit_code: exit_code(finished.outcome),
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
        let observe = &mut self.surroundings.observe;
        Cmd::shell(command, &self.plan.folder, self.surroundings.environment)
            .merged()
            .wall_limit(Duration::from_secs(self.input.timeout_seconds))
            .run_observed(self.surroundings.cancel, &mut |chunk| {
                observe(Event::Output(chunk.bytes));
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
            let attempt = self
                .attempt(&candidate.command, AttemptScope::WholeSuite, None, limit)
                .await?;
            previous = Some(attempt.verdict);
            match attempt.verdict {
                Verdict::NotFound => {
                    refusal.get_or_insert((candidate.command.clone(), attempt.tail.clone()));
                }
                Verdict::RaceUnsupported => {}
                _ => {
                    self.command.clone_from(&candidate.command);
                    return Ok(attempt);
                }
            }
        }
        // All are missing: the first one, which is the default, is reported.
        let (command, tail) = refusal.unwrap_or_else(|| (self.command.clone(), String::new()));
        Err(TestingError::test_command_not_found(
            FailedCommand {
                command: &command,
                exit_code: None,
                stderr: &tail,
            },
            &self.plan.suggestion,
        ))
    }

    /// Retries until it passes, cannot be retried, or nobody wants more.
    async fn settle(&mut self, first: Attempt) -> Vec<TestingError> {
        let mut last = first;
        let mut limit = self.input.timeout_seconds;
        loop {
            if last.verdict == Verdict::Passed {
                return Vec::new();
            }
            if let Some(error) = self.final_error(&last, limit) {
                return vec![error];
            }
            if last.verdict == Verdict::TimedOut {
                limit += limit.div_ceil(2);
            }
            if self.retry_count < self.input.max_retries {
                self.retry_count += 1;
                if !self.pause().await {
                    return vec![self.interrupted_error()];
                }
            } else {
                match escalation::decide(self) {
                    Decision::Retry => {
                        self.retry_count = 0;
                        continue;
                    }
                    Decision::GoOn => return vec![self.exhausted(&last, limit, true)],
                    Decision::Abort => {
                        return vec![TestingError::user_abort(
                            self.suite.failed(),
                            self.suite.attempts(),
                        )];
                    }
                    Decision::NobodyThere => return vec![self.exhausted(&last, limit, false)],
                }
            }
            last = match self.retry(&last, limit).await {
                Ok(attempt) => attempt,
                Err(error) => return vec![error],
            };
        }
    }

    /// What ends the phase without another try.
    fn final_error(&self, last: &Attempt, _limit: u64) -> Option<TestingError> {
        let failed = FailedCommand {
            command: &self.command,
            exit_code: last.exit_code,
            stderr: &last.tail,
        };
        match last.verdict {
            Verdict::Failed if self.suite.looks_like_infrastructure() => {
                Some(TestingError::test_failure(TestFailure {
                    infrastructure: true,
                    ..self.failure_facts()
                }))
            }
            Verdict::Passed | Verdict::TimedOut | Verdict::Failed => None,
            Verdict::DoesNotCompile => Some(TestingError::build_failure(failed)),
            Verdict::NotFound | Verdict::RaceUnsupported => Some(
                TestingError::test_command_not_found(failed, &self.plan.suggestion),
            ),
            Verdict::NotPermitted => Some(TestingError::permission_error(failed)),
            Verdict::OutOfMemory => Some(TestingError::out_of_memory(failed)),
            Verdict::Cancelled => Some(self.interrupted_error()),
        }
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
                stderr: &last.tail,
            },
        )
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
        (self.surroundings.observe)(Event::Waiting {
            before_retry: self.retry_count,
            pause,
        });
        tokio::select! {
            () = tokio::time::sleep(pause) => true,
            () = self.surroundings.cancel.cancelled() => false,
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
            Some(words) => selection::shown(words),
            None => command.to_owned(),
        };
        (self.surroundings.observe)(Event::AttemptStarted {
            number,
            command: &shown,
            scope,
        });
        let attempt = attempt::run(
            attempt::Task {
                number,
                command,
                shown,
                scope,
                arguments,
                limit_seconds: limit,
                language: self.plan.language,
                folder: &self.plan.folder,
                environment: self.surroundings.environment,
                cancel: self.surroundings.cancel,
            },
            self.surroundings.observe,
        )
        .await
        .map_err(|error| cannot_start(command, &error))?;
        self.suite.add(&attempt);
        (self.surroundings.observe)(Event::AttemptFinished(&attempt.record));
        Ok(attempt)
    }

    fn answer(self, errors: Vec<TestingError>, elapsed: Duration) -> Answer {
        let counts = self.suite.counts();
        let passed = errors.is_empty();
        let compiles = !errors
            .iter()
            .any(|e| e.kind == baton_protocol::phase::testing::TestingErrorType::BuildFailure);
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
            language: Some(self.plan.language),
            test_command: Some(self.command.clone()),
            build_command: self.build_command.clone(),
            errors,
        };
        let interrupted = self.surroundings.cancel.is_cancelled();
        Answer {
            details: TestingDetails {
                version: 1,
                output: output.clone(),
                language_reason: Some(self.plan.language_reason.clone()),
                test_command_reason: Some(self.plan.test_reason.clone()),
                framework: self.suite.framework(),
                flaky: self.suite.flaky(),
                attempts: self.suite.into_records(),
                tree: None,
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
        stderr: &error.to_string(),
    };
    TestingError::permission_error(failed)
}

fn exit_code(outcome: Outcome) -> Option<i32> {
    match outcome {
        Outcome::Exited(code) => Some(code),
        Outcome::Signalled(_) | Outcome::TimedOut { .. } | Outcome::Cancelled => None,
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
