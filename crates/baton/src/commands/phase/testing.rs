//! `baton phase testing`: the testing phase, JSON in and out.

use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_ops::testing::{self, Answer};
use baton_protocol::phase::testing::{TestingError, TestingInput};

use super::Refusal;
use crate::commands::test;
use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;
use crate::settings;

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
    let refused = |errors| testing::refused(None, errors, Duration::ZERO);
    let answer = match super::read(&args.input)? {
        Ok(input) => play(&input, session)?,
        Err(Refusal::Invalid(problems)) => {
            refused(problems.iter().map(TestingError::validation).collect())
        }
        Err(Refusal::Malformed(error)) => {
            super::print(&refused(vec![TestingError::malformed(&error)]).output)?;
            return Ok(Exit::WrongUse);
        }
    };
    super::print(&answer.output)?;
    test::write_files(&answer, args.details.as_deref(), args.junit.as_deref())?;
    Ok(super::exit(answer.output.status, answer.interrupted))
}

fn play(input: &TestingInput, session: &Session) -> Result<Answer, CommandError> {
    let settings = settings::from_config(&session.config()?, &session.environment);
    let folder = Path::new(&input.working_directory);
    let options = settings.testing(folder);
    let cx = session.context()?.in_project(folder);
    runtime::run_to_end(async |cancel| testing::run(&cx.with_cancel(cancel), input, options).await)
}
