//! The testing phase: find out the language, resolve the commands, build once,
//! run, read, retry what failed, and ask when the retries are used up.

mod attempt;
mod consistency;
mod escalation;
mod history;
mod junit;
mod machine_report;
mod phase;
mod plan;
pub(crate) mod selection;
mod suite;
mod verbosity;
mod verdict;

use std::time::{Duration, Instant};

use baton_host::cmd::Environment;
use baton_protocol::Language;
use baton_protocol::detection::Candidate;
use baton_protocol::phase::testing::{TestingError, TestingInput, TestingOutput};
use baton_protocol::phase::testing_details::{AttemptScope, TestAttempt, TestingDetails};
use baton_report::cases::Case;
use tokio_util::sync::CancellationToken;

pub use history::History;
pub use junit::as_junit;

use self::phase::Phase;
use self::plan::{Plan, Refusal};
use crate::command_line::milliseconds;
use crate::question::Ask;

/// What the operation needs of its surroundings.
pub struct Surroundings<'a> {
    /// For the commands it runs.
    pub environment: &'a Environment,
    pub cancel: &'a CancellationToken,
    /// Commands from baton's own configuration, which outrank detection.
    pub preferred: Preferred,
    /// Where runs are remembered, if anywhere.
    pub history: Option<History>,
    /// What becomes of a pass in which a test had failed at first.
    pub flaky: FlakyPolicy,
    /// Run only these tests, where the runner can select them.
    pub only: Vec<String>,
    /// Have the runner name every test, where it can be asked to.
    pub lists_cases: bool,
    /// Whoever can be asked when the retries are used up.
    pub ask: &'a mut dyn Ask,
    pub observe: &'a mut (dyn FnMut(Event<'_>) + Send),
}

#[derive(Clone, Debug, Default)]
pub struct Preferred {
    pub test: Option<String>,
    pub build: Option<String>,
}

/// What a pass is worth in which a test failed at first and passed then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlakyPolicy {
    /// As much as any other.
    Pass,
    /// A pass; whoever shows the answer says so.
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
pub async fn run(input: &TestingInput, surroundings: Surroundings<'_>) -> Answer {
    let started = Instant::now();
    let plan = match plan::make(input, surroundings.environment, &surroundings.preferred) {
        Ok(plan) => plan,
        Err(Refusal { language, errors }) => {
            return refused(language, errors, started.elapsed());
        }
    };
    play(input, plan, surroundings, started).await
}

/// A test command that another operation has chosen.
pub(crate) struct Chosen {
    pub(crate) language: Option<Language>,
    pub(crate) language_reason: String,
    pub(crate) command: Candidate,
    /// What to tell a user whose machine lacks it.
    pub(crate) suggestion: String,
}

/// Like [`run`], with a command that is not looked for, and without a build.
pub(crate) async fn run_chosen(
    input: &TestingInput,
    chosen: Chosen,
    surroundings: Surroundings<'_>,
) -> Answer {
    let plan = plan::of_chosen(input, chosen);
    play(input, plan, surroundings, Instant::now()).await
}

async fn play(
    input: &TestingInput,
    plan: Plan,
    surroundings: Surroundings<'_>,
    started: Instant,
) -> Answer {
    let mut phase = Phase::new(input, plan, surroundings);
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
