//! The phase protocol: a JSON object is read, the phase runs, its output is
//! printed. Problems with the object are outputs, too.

mod pr;
mod testing;
pub(crate) mod validation;

use baton_protocol::Request;
use baton_protocol::json::{self, MAX_JSON_BYTES, MalformedJson};
use baton_protocol::{Problems, phase::Verdict};
use clap::Subcommand;
use serde::Serialize;

use crate::document::Place;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::session::Session;
use crate::terminal;

/// Speak the phase protocol: one JSON object in, one out
///
/// The object is read from standard input, or from --input. The answer is the
/// only thing on standard output. Exits 0 on a pass, 1 on a fail, 2 when the
/// input is no JSON at all.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    phase: Phase,
}

#[derive(Subcommand)]
enum Phase {
    Testing(testing::Args),
    Validation(validation::Args),
    Pr(pr::Args),
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    match &args.phase {
        Phase::Testing(args) => testing::run(args, session),
        Phase::Validation(args) => validation::run(args, session),
        Phase::Pr(args) => pr::run(args, session),
    }
}

/// Why a request cannot be run.
enum Refusal {
    Malformed(MalformedJson),
    Invalid(Problems),
}

fn read<T: Request>(input: &Place) -> Result<Result<T, Refusal>, CommandError> {
    let bytes = input.read(MAX_JSON_BYTES)?;
    Ok(match json::parse(&bytes) {
        Ok(value) => T::read(&value).map_err(Refusal::Invalid),
        Err(error) => Err(Refusal::Malformed(error)),
    })
}

fn print(output: &impl Serialize) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(output).expect("an output is plain data");
    terminal::result(&format!("{text}\n"))?;
    Ok(())
}

pub(in crate::commands) fn exit(verdict: Verdict, interrupted: bool) -> Exit {
    match verdict {
        _ if interrupted => Exit::Interrupted,
        Verdict::Pass => Exit::Done,
        Verdict::Fail => Exit::Failed,
    }
}
