//! One verb per file, all of the same shape: an `Args` struct that clap fills,
//! and `run(args, session)`.

mod completions;
mod config;
mod handoff;
mod pr;
mod schema;

use clap::Subcommand;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::session::Session;

#[derive(Subcommand)]
pub(crate) enum Command {
    Handoff(handoff::Args),
    Schema(schema::Args),
    Config(config::Args),
    Pr(pr::Args),
    Completions(completions::Args),
}

pub(crate) fn run(command: Command, session: &Session) -> Result<Exit, CommandError> {
    match command {
        Command::Handoff(args) => handoff::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Config(args) => config::run(&args, session),
        Command::Pr(args) => pr::run(&args, session),
        Command::Completions(args) => completions::run(&args),
    }
}
