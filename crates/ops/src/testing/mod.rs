//! The testing phase: find out the language, resolve the commands, build once,
//! run, read, retry what failed, and ask when the retries are used up.

mod attempt;
mod consistency;
mod diagnosis;
mod escalation;
mod history;
mod junit;
mod machine_report;
mod phase;
mod plan;
mod run_tests;
pub(crate) mod selection;
mod suite;
mod verbosity;
mod verdict;

use std::time::{Duration, Instant};

use baton_protocol::Language;
use baton_protocol::detection::Candidate;
use baton_protocol::phase::testing::{TestingError, TestingInput, TestingOutput};
use baton_protocol::phase::testing_details::{AttemptScope, TestAttempt, TestingDetails};
use baton_report::cases::Case;

pub use history::History;
pub use junit::as_junit;
pub use run_tests::RunTests;

use self::phase::Phase;
use self::plan::{Plan, Refusal};
use crate::command_line::milliseconds;
use crate::context::Context;
use crate::settings::Preferred;

/// What a caller may decide besides the input.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Commands from baton's own configuration, which outrank detection.
    pub preferred: Preferred,
    /// Where runs are remembered, if anywhere.
    pub history: Option<History>,
    pub flaky: FlakyPolicy,
    /// Run only these tests, where the runner can select them.
    pub only: Vec<String>,
    /// What a person adds to the test command.
    pub narrowing: Narrowing,
    /// Have the runner name every test, where it can be asked to.
    pub lists_cases: bool,
    /// Whether a project without a file that indicates its language is tested as well.
    pub by_sources: bool,
}

/// Which tests a person wants, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    /// Only tests whose names contain this.
    pub filter: Option<String>,
    /// For the runner, as they are.
    pub words: Vec<String>,
}

/// How flaky passes count: a test failed at first, and passed when it ran again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlakyPolicy {
    /// As much as any other.
    Pass,
    /// A pass, with a warning.
    #[default]
    Warn,
    /// Nothing: the phase fails.
    Fail,
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

impl Event<'_> {
    /// For people, in a few words; `None` for what would be too much.
    pub fn message(&self) -> Option<String> {
        Some(match self {
            Event::BuildStarted { command } => format!("building: {command}"),
            Event::AttemptStarted {
                number: 1, command, ..
            } => format!("testing: {command}"),
            Event::AttemptStarted {
                number,
                command,
                scope,
            } => {
                let what = match scope {
                    AttemptScope::WholeSuite => "everything",
                    AttemptScope::FailedTests => "what failed",
                };
                format!("attempt {number}, {what}: {command}")
            }
            Event::AttemptFinished(attempt) => {
                format!(
                    "attempt {}: {} run, {} failed",
                    attempt.number, attempt.counts.run, attempt.counts.failed
                )
            }
            Event::Waiting {
                before_retry,
                pause,
            } => format!("waiting {} s before retry {before_retry}", pause.as_secs()),
            Event::Output(_) => return None,
        })
    }
}

/// The phase's output, and everything beyond it.
#[derive(Clone, Debug)]
pub struct Answer {
    pub output: TestingOutput,
    pub details: TestingDetails,
    /// The tests of the first run of everything, as far as the runner named them.
    pub cases: Vec<Case>,
    /// The caller's token was cancelled; the output is what was known by then.
    pub interrupted: bool,
}

/// Runs the phase. Whatever goes wrong is part of the answer.
pub async fn run(cx: &Context, input: &TestingInput, options: Options) -> Answer {
    let started = Instant::now();
    let plan = match plan::make(input, &cx.environment, &options) {
        Ok(plan) => plan,
        Err(Refusal { language, errors }) => {
            return refused(language, errors, started.elapsed());
        }
    };
    play(cx, input, plan, options, started).await
}

/// A test command that another operation has chosen.
pub(crate) struct Chosen {
    pub(crate) language: Option<Language>,
    pub(crate) language_reason: String,
    pub(crate) command: Candidate,
    /// What to tell a user whose machine lacks it.
    pub(crate) suggestion: String,
    /// What installs the packages that the project needs.
    pub(crate) install: Option<String>,
}

/// Like [`run`], with a command that is not looked for, and without a build.
pub(crate) async fn run_chosen(
    cx: &Context,
    input: &TestingInput,
    chosen: Chosen,
    options: Options,
) -> Answer {
    let plan = plan::for_chosen(input, chosen);
    play(cx, input, plan, options, Instant::now()).await
}

async fn play(
    cx: &Context,
    input: &TestingInput,
    plan: Plan,
    options: Options,
    started: Instant,
) -> Answer {
    let mut phase = Phase::new(cx, input, plan, options);
    let mut errors = phase.play().await;
    if errors.is_empty() {
        errors.extend(phase.flaky_error());
    }
    let tree = phase.remember().await;
    phase.answer(errors, tree, started.elapsed())
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
        cases: Vec::new(),
        interrupted: false,
    }
}
