//! The binary: arguments, configuration layers, terminal output, wiring.
//!
//! Must not know business rules: each verb reads its arguments, calls the room
//! that does the work, and shows what comes back.

mod acceptances;
mod checkout;
mod cli;
mod commands;
mod config;
mod document;
mod environment;
mod error;
mod exit;
mod github;
mod jira;
mod logging;
mod preferences;
mod provider;
mod runs;
mod runtime;
mod session;
mod settings;
mod terminal;
mod tools;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::session::Session;

fn main() -> ExitCode {
    // Restricted programs are started by this one, which must not have done
    // anything else before.
    #[cfg(target_os = "linux")]
    if let Some(code) = baton_sandbox::launch::run_if_called(std::env::args_os()) {
        return code;
    }
    // What installers and editors call most needs none of the verbs.
    if std::env::args_os().skip(1).eq(["--version"]) {
        return ExitCode::from(cli::print_version());
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(cli::report(&error)),
    };
    cli.color.apply();
    logging::start(cli.verbose);
    let session = Session::new(&cli);
    let exit = match commands::run(cli.command, &session) {
        Ok(exit) => exit,
        Err(error) => error.report(),
    };
    ExitCode::from(exit)
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
