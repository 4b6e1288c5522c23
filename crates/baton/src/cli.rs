//! The command line: global options and verbs.

use clap::{ArgAction, Parser, ValueEnum};

use crate::commands::Command;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::terminal;

const AFTER_HELP: &str = "\
Exit codes:
  0    done; pass; ready; nothing failing
  1    the answer is \"no\": invalid, failing, not ready
  2    wrong use: a bad flag or bad input
  3    something is missing here: a tool, a credential, a repository
  4    the server: network, rate limit, server error
  5    an answer is needed
  130  interrupted

Begin with `baton demo`, then `baton doctor` in a repository of your own.";

const GLOBAL: &str = "Global options";

/// Carries work from an issue to a merged pull request.
#[derive(Parser)]
#[command(name = "baton", version, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    /// Show on stderr what baton runs; twice for everything
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = GLOBAL)]
    pub(crate) verbose: u8,

    /// Set a configuration value for this call, as in `--config agent.name=codex`
    #[arg(long, global = true, value_name = "KEY=VALUE", help_heading = GLOBAL)]
    pub(crate) config: Vec<String>,

    /// When to use colours; `auto` means on a terminal, unless `NO_COLOR` is set
    #[arg(
        long, global = true, value_enum, default_value_t = ColorChoice::Auto,
        value_name = "WHEN", help_heading = GLOBAL
    )]
    pub(crate) color: ColorChoice,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

impl ColorChoice {
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// In the words of clap.
pub(crate) fn print_version() -> Exit {
    match terminal::result(concat!("baton ", env!("CARGO_PKG_VERSION"), "\n")) {
        Ok(()) => Exit::Done,
        Err(error) => CommandError::from(error).report(),
    }
}

/// Prints what clap has to say: help to stdout, complaints to stderr.
pub(crate) fn report(error: &clap::Error) -> Exit {
    // When even stderr is closed there is no one to tell.
    let _ = error.print();
    if error.use_stderr() {
        Exit::WrongUse
    } else {
        Exit::Done
    }
}
