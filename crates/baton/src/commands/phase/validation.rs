//! `baton phase validation`: the validation phase, JSON in and out.

use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_ops::validation::{self, Answer, Limits, Options, Scope, UnchosenTools};
use baton_protocol::phase::validation::ValidationInput;

use super::Refusal;
use crate::commands::validate;
use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runtime;
use crate::session::Session;

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
    let answer = match super::read(&args.input)? {
        Ok(input) => play(args, &input, session)?,
        Err(Refusal::Invalid(problems)) => validation::refused_input(&problems),
        Err(Refusal::Malformed(error)) => {
            let message = format!("the input is not JSON: {error}");
            super::print(&validation::refused([message.as_str()]).output)?;
            return Ok(Exit::WrongUse);
        }
    };
    super::print(&answer.output)?;
    validate::write_files(&answer, args.details.as_deref(), args.sarif.as_deref())?;
    Ok(super::exit(answer.output.status, answer.interrupted))
}

fn play(args: &Args, input: &ValidationInput, session: &Session) -> Result<Answer, CommandError> {
    let folder = Path::new(&input.working_directory);
    let options = Options {
        // The protocol names a tool for each language.
        unchosen: UnchosenTools::Run,
        limits: limits(args.timeout),
        scope: scope(args.all),
        base: args.base.clone(),
        ..validate::options(session, folder)?
    };
    let cx = session.context()?.in_project(folder);
    runtime::run_to_end(async |cancel| {
        validation::run(&cx.with_cancel(cancel), input, options).await
    })
}

/// The same limit, in seconds, for every tool.
pub(in crate::commands) fn limits(timeout: Option<u64>) -> Limits {
    let limits = timeout.map(Duration::from_secs).map(Limits::all);
    limits.unwrap_or_default()
}

pub(in crate::commands) fn scope(all: bool) -> Scope {
    if all {
        Scope::Everything
    } else {
        Scope::NewProblems
    }
}
