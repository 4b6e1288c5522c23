//! `baton completions`: scripts for shells.

use std::io;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::error::CommandError;
use crate::exit::Exit;

/// Print a completion script for a shell
///
/// For bash: `baton completions bash > ~/.local/share/bash-completion/completions/baton`
#[derive(clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "baton", &mut script);
    io::Write::write_all(&mut io::stdout().lock(), &script)?;
    Ok(Exit::Done)
}
