//! `baton phase pr`: the PR phase, JSON in and out.

use std::path::PathBuf;

use baton_ops::pr::{self, Answer};
use baton_protocol::phase::pr::{PrError, PrInput};

use super::Refusal;
use crate::commands::pr::options;
use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;

/// Push a branch, open its pull request, and link and move its Jira issue
///
/// The same call again after a crash takes up what the first one began; nothing
/// is done twice.
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
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let answer = match super::read(&args.input)? {
        Ok(input) => create(&input, session)?,
        Err(Refusal::Invalid(problems)) => {
            pr::refused(problems.iter().map(PrError::validation).collect())
        }
        Err(Refusal::Malformed(error)) => {
            super::print(&pr::refused(vec![PrError::malformed(&error)]).output)?;
            return Ok(Exit::WrongUse);
        }
    };
    super::print(&answer.output)?;
    if let Some(file) = &args.details {
        let text = serde_json::to_string_pretty(&answer.details).expect("details are plain data");
        crate::document::write(file, &format!("{text}\n"))?;
    }
    let exit = super::exit(answer.output.status, answer.interrupted);
    answer.delivered();
    Ok(exit)
}

fn create(input: &PrInput, session: &Session) -> Result<Answer, CommandError> {
    let cx = session.context()?;
    let options = options(&cx, input, session)?;
    runtime::run_to_end(async |cancel| pr::run(&cx.with_cancel(cancel), input, options).await)
}
