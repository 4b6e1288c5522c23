mod pr;
mod testing;
pub(crate) mod validation;

use clap::Subcommand;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::session::Session;

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
