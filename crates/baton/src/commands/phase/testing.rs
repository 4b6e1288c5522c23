use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_ops::question::Nobody;
use baton_ops::testing::{self, Answer, Surroundings};
use baton_protocol::json::{self, MAX_JSON_BYTES};
use baton_protocol::phase::Verdict;
use baton_protocol::phase::testing::{TestingError, TestingInput};

use crate::commands::test::{self, Settings};
use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::terminal;

/// Build a project and run its tests, retrying what fails
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

    /// Write the result as JUnit XML to this file
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let bytes = args.input.read(MAX_JSON_BYTES)?;
    let value = match json::parse(&bytes) {
        Ok(value) => value,
        Err(error) => {
            let errors = vec![TestingError::malformed(&error)];
            print(&testing::refused(None, errors, Duration::ZERO))?;
            return Ok(Exit::WrongUse);
        }
    };
    let answer = match TestingInput::read(&value) {
        Ok(input) => play(&input, session)?,
        Err(problems) => {
            let errors = problems.iter().map(TestingError::validation).collect();
            testing::refused(None, errors, Duration::ZERO)
        }
    };
    print(&answer)?;
    test::write_files(&answer, args.details.as_deref(), args.junit.as_deref())?;
    Ok(exit(&answer))
}

fn play(input: &TestingInput, session: &Session) -> Result<Answer, CommandError> {
    let folder = Path::new(&input.working_directory);
    let settings = Settings::of(&session.config()?, &session.environment, folder);
    runtime::run_to_end(async |cancel| {
        let surroundings = Surroundings {
            environment: &session.environment,
            cancel: &cancel,
            preferred: settings.preferred,
            history: settings.history,
            flaky: settings.flaky,
            only: Vec::new(),
            lists_cases: false,
            ask: &mut Nobody,
            observe: &mut |_| {},
        };
        testing::run(input, surroundings).await
    })
}

fn print(answer: &Answer) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(&answer.output).expect("an output is plain data");
    terminal::result(&format!("{text}\n"))?;
    Ok(())
}

pub(super) fn exit(answer: &Answer) -> Exit {
    match answer.output.status {
        _ if answer.interrupted => Exit::Interrupted,
        Verdict::Pass => Exit::Done,
        Verdict::Fail => Exit::No,
    }
}
