//! `baton test`: builds a project and runs its tests.

mod show;

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use baton_host::detect;
use baton_ops::Event;
use baton_ops::testing::{self, Answer, History, Narrowing, Options};
use baton_protocol::Language;
use baton_protocol::phase::testing::{
    BuildCommand, TestingError, TestingErrorType, TestingInput, TestingOutput,
};
use baton_protocol::phase::{MAX_RETRIES, StepStatus, Verdict};
use baton_state::State;

use self::show::{Show, View};
use crate::document;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::settings;
use crate::terminal::{self, Look, Person, Style, sanitize};

/// Build a project and run its tests
///
/// On a terminal, a line of progress shows the running count, the slowest test
/// and failures as they happen; elsewhere, and with --stream, what the tests
/// print goes to standard error. The summary at the end goes to standard
/// output. With --max-retries, only what failed is
/// run again where the runner can select it, and on a terminal you are asked
/// what to do when the retries are used up.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The project's folder
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// Take this language instead of looking for one
    #[arg(long)]
    language: Option<Language>,

    /// Run this instead of the project's own test command
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,

    /// Build with this first
    #[arg(long, value_name = "COMMAND", conflicts_with = "no_build")]
    build: Option<String>,

    /// Do not build first
    #[arg(long)]
    no_build: bool,

    /// How often to run failing tests again
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(MAX_RETRIES))]
    max_retries: u64,

    /// Time limit of one run, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,

    /// Print the phase's output as one JSON object
    #[arg(long)]
    json: bool,

    /// Run only what failed the last time, where the runner can select it
    #[arg(long)]
    last_failed: bool,

    /// List the tests of this project that both failed and passed on the same
    /// tree, worst first, and run nothing
    #[arg(long, conflicts_with_all = ["last_failed", "command", "build"])]
    flaky: bool,

    /// Show everything that the tests print, also on a terminal
    #[arg(long, conflicts_with = "quiet")]
    stream: bool,

    /// Show nothing while the tests run
    #[arg(long, short)]
    quiet: bool,

    /// Run only the tests whose names contain this text, however the runner is told so
    #[arg(
        short = 'k',
        long = "filter",
        value_name = "TEXT",
        conflicts_with = "last_failed"
    )]
    filter: Option<String>,

    /// More arguments for the test runner, after `--`
    #[arg(last = true, value_name = "ARGS")]
    words: Vec<String>,

    /// Write everything that was found out to this file, as JSON
    #[arg(long, value_name = "FILE")]
    details: Option<PathBuf>,

    /// Write the result as JUnit XML to this file
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let input = input(args)?;
    if args.flaky {
        return list_flaky(&input, session);
    }
    let folder = Path::new(&input.working_directory);
    let settings = settings::from_config(&session.config()?, &session.environment);
    let mut options = Options {
        by_sources: true,
        narrowing: Narrowing {
            filter: args.filter.clone(),
            words: args.words.clone(),
        },
        ..settings.testing(folder)
    };
    if let Some(history) = options.history.as_ref().filter(|_| args.last_failed) {
        options.only = history.last_failed();
    }
    if args.last_failed && options.only.is_empty() {
        terminal::error_line("nothing failed the last time; running everything");
    }
    let view = match (args.quiet, args.stream) {
        (true, _) => View::Nothing,
        (false, false) if std::io::stderr().is_terminal() => View::Progress,
        (false, _) => View::Everything,
    };
    let look = Look::for_stderr(&session.environment);
    let show = Arc::new(Mutex::new(Show::new(view, look)));
    let shown = Arc::clone(&show);
    let mut cx = session
        .context()?
        .in_project(folder)
        .with_events(move |event| {
            if let Event::Testing(event) = event {
                lock(&shown).event(event);
            }
        });
    if args.max_retries > 0 && Person::is_there() {
        cx = cx.with_questions(Person);
    }
    let answer = runtime::run_to_end(async |cancel| {
        testing::run(&cx.with_cancel(cancel), &input, options).await
    })?;
    lock(&show).end();
    terminal::result(&if args.json {
        let text = serde_json::to_string_pretty(&answer.output).expect("an output is plain data");
        format!("{text}\n")
    } else {
        summary(&answer)
    })?;
    write_files(&answer, args.details.as_deref(), args.junit.as_deref())?;
    Ok(super::phase::exit(answer.output.status, answer.interrupted))
}

/// The folder of the project that a folder belongs to, which is said where it is another one.
pub(super) fn project_folder(named: &Path) -> Result<PathBuf, CommandError> {
    let folder = super::review::folder(named)?;
    let project = detect::project_folder(&folder);
    if project != folder {
        let shown = sanitize(&project.to_string_lossy());
        terminal::error_line(&format!("this folder belongs to the project in {shown}"));
    }
    Ok(project.to_owned())
}

fn lock(show: &Mutex<Show>) -> MutexGuard<'_, Show> {
    show.lock().unwrap_or_else(PoisonError::into_inner)
}

fn input(args: &Args) -> Result<TestingInput, CommandError> {
    let folder = project_folder(&args.folder)?;
    Ok(TestingInput {
        language: args.language,
        test_command: args.command.clone(),
        build_command: match &args.build {
            Some(command) => BuildCommand::Given(command.clone()),
            None => BuildCommand::Auto,
        },
        run_build: args.no_build.then_some(false),
        max_retries: args.max_retries,
        // People do not wait for a pause that helps machines.
        retry_backoff_ms: Vec::new(),
        timeout_seconds: args.timeout,
        ..TestingInput::new(folder.to_string_lossy())
    })
}

/// The worst tests of a project, as far as baton has seen them run.
fn list_flaky(input: &TestingInput, session: &Session) -> Result<Exit, CommandError> {
    const MAX_FLAKY: usize = 50;
    let config = session.config()?;
    let Some(folder) = config.state_dir(&session.environment) else {
        return Err(
            CommandError::missing("there is no place for baton's state: HOME is not set")
                .hint("Set HOME or BATON_STATE_DIR."),
        );
    };
    let history = History::new(folder.clone(), Path::new(&input.working_directory));
    let worst = State::open(&folder)
        .and_then(|state| state.flaky(history.repository(), MAX_FLAKY))
        .map_err(|error| CommandError::missing("cannot read the test history").because(error))?;
    let mut text = String::new();
    for test in &worst {
        let summary = &test.summary;
        writeln!(
            text,
            "{}  {} of {} runs failed, flipped {}, last seen {}",
            sanitize(&test.test),
            summary.failures,
            summary.runs,
            match summary.flips {
                1 => "once".to_owned(),
                flips => format!("{flips} times"),
            },
            summary.last_seen.strftime("%Y-%m-%d")
        )
        .expect("a string takes all text");
    }
    if worst.is_empty() {
        text.push_str("no test of this project was seen to both fail and pass on the same tree\n");
    }
    terminal::result(&text)?;
    Ok(Exit::Done)
}

pub(super) fn write_files(
    answer: &Answer,
    details: Option<&Path>,
    junit: Option<&Path>,
) -> Result<(), CommandError> {
    if let Some(path) = details {
        let text = serde_json::to_string_pretty(&answer.details).expect("details are plain data");
        document::write(path, &format!("{text}\n"))?;
    }
    if let Some(path) = junit {
        document::write(path, &testing::as_junit(&answer.details))?;
    }
    Ok(())
}

/// Something one can paste into a bug report.
fn summary(answer: &Answer) -> String {
    let output = &answer.output;
    let mut text = String::new();
    let mut line = |content: String| writeln!(text, "{content}").expect("a string takes all text");
    for test in &output.failing_tests {
        let place = test
            .file
            .as_deref()
            .map_or(String::new(), |f| format!("  {f}"));
        line(format!(
            "{} {}{}",
            Style::Bad.paint("FAILED"),
            sanitize(&test.name),
            Style::Dim.paint(sanitize(&place))
        ));
        for told in sanitize(&test.error).lines().take(12) {
            line(format!("    {told}"));
        }
    }
    for test in &answer.details.flaky {
        line(format!(
            "{} {}  failed in attempt {}, passed in attempt {}",
            Style::Hint.paint("FLAKY"),
            sanitize(&test.name),
            numbers(&test.failed_attempts),
            numbers(&test.passed_attempts)
        ));
    }
    for error in &output.errors {
        line(format!(
            "{} {}",
            Style::Bad.paint("error:"),
            sanitize(&error.message)
        ));
        if let Some(next) = next_step(error) {
            line(format!(
                "{} {}",
                Style::Hint.paint("hint:"),
                sanitize(&next)
            ));
        }
    }
    if is_empty_pass(output) {
        let note = Style::Hint.paint("note:");
        line(format!("{note} no test was seen to run"));
    }
    line(verdict(output));
    text
}

/// What to do about an error of the tests.
pub(super) fn next_step(error: &TestingError) -> Option<String> {
    if error.kind == TestingErrorType::Timeout {
        return Some(
            "Give the tests more time with `--timeout SECONDS`, or see with `baton test --stream` \
             which one does not end."
                .to_owned(),
        );
    }
    let told = error.context.as_ref()?.get("suggestion")?.as_str()?;
    (!told.is_empty()).then(|| told.to_owned())
}

/// A command that ended well without a test; it is no proof.
pub(super) fn is_empty_pass(output: &TestingOutput) -> bool {
    output.status == Verdict::Pass && output.tests_run == 0
}

fn numbers(list: &[u64]) -> String {
    let list: Vec<_> = list.iter().map(u64::to_string).collect();
    list.join(", ")
}

fn verdict(output: &TestingOutput) -> String {
    let word = match output.status {
        Verdict::Pass => Style::Good.paint("pass"),
        Verdict::Fail => Style::Bad.paint("fail"),
    };
    let build = match output.build_status {
        StepStatus::Fail => ", the build failed",
        StepStatus::Pass | StepStatus::Skipped => "",
    };
    let command = output.test_command.as_deref().unwrap_or("no test command");
    format!(
        "{word}: {} run, {} passed, {} failed{build} in {:.1} s ({})",
        output.tests_run,
        output.tests_passed,
        output.tests_failed,
        std::time::Duration::from_millis(output.execution_time_ms).as_secs_f32(),
        sanitize(command)
    )
}
