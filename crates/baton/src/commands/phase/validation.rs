use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_ops::validation::{self, Answer, Limits, Scope, Surroundings, UnchosenTools};
use baton_protocol::json::{self, MAX_JSON_BYTES};
use baton_protocol::phase::Verdict;
use baton_protocol::phase::validation::ValidationInput;

use crate::commands::validate::{self, Settings};
use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal;

/// What a formatter or linter needs to let go of its locks and caches.
pub(crate) const PAUSE: Duration = Duration::from_secs(2);

/// Format, lint, build, test and review a change
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Read the request from this file instead of standard input
    #[arg(
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true
    )]
    input: Place,

    /// Write everything that was found out to this file, as JSON
    #[arg(long, value_name = "FILE")]
    details: Option<PathBuf>,

    /// Write diagnostics and findings as SARIF to this file
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,

    /// The commit that the change began at; found out otherwise
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,

    /// Count problems, too, that were there before the change
    #[arg(long)]
    all: bool,

    /// Time limit of one run of each tool, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let bytes = args.input.read(MAX_JSON_BYTES)?;
    let value = match json::parse(&bytes) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("the input is not JSON: {error}");
            print(&validation::refused([message.as_str()]))?;
            return Ok(Exit::WrongUse);
        }
    };
    let answer = match ValidationInput::read(&value) {
        Ok(input) => play(args, &input, session)?,
        Err(problems) => validation::refused_input(&problems),
    };
    print(&answer)?;
    validate::write_files(&answer, args.details.as_deref(), args.sarif.as_deref())?;
    Ok(exit(&answer))
}

fn play(args: &Args, input: &ValidationInput, session: &Session) -> Result<Answer, CommandError> {
    let settings = Settings::of(session, Path::new(&input.working_directory))?;
    let limits = args.timeout.map(Duration::from_secs).map(Limits::all);
    runtime::run_to_end(async |cancel| {
        let surroundings = Surroundings {
            environment: &session.environment,
            cancel: &cancel,
            preferred: settings.preferred,
            // The protocol names a tool for each language.
            unchosen: UnchosenTools::Run,
            history: settings.history,
            limits: limits.unwrap_or_default(),
            pause: PAUSE,
            threshold: settings.threshold,
            scope: if args.all {
                Scope::Everything
            } else {
                Scope::NewProblems
            },
            base: args.base.clone(),
            reviewers: Vec::new(),
            scanners: &settings.scanners,
            logs: &settings.logs,
            baseline: None,
            accepted: None,
            observe: &|_| {},
        };
        validation::run(input, surroundings).await
    })
}

fn print(answer: &Answer) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(&answer.output).expect("an output is plain data");
    terminal::result(&format!("{text}\n"))?;
    Ok(())
}

pub(in crate::commands) fn exit(answer: &Answer) -> Exit {
    match answer.output.status {
        _ if answer.interrupted => Exit::Interrupted,
        Verdict::Pass => Exit::Done,
        Verdict::Fail => Exit::No,
    }
}
