//! `baton tend`: brings an open pull request forward.

use baton_workflow::Until;
use clap::ValueEnum;

use super::run::DrivingArgs;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs::Order;
use crate::session::Session;

/// Bring an open pull request forward until it can be merged
///
/// Takes a pull request that a person or another agent opened, in a worktree of
/// its own: what people ask for in reviews is fixed or answered, failing checks
/// are mended, the base is brought in where it conflicts or has to be, and jobs
/// that are flaky on the evidence run once more. Never merges unless --until
/// says so, and never approves.
///
/// Exits 0 when the pull request is ready (or merged, with --until merge), 1
/// when the run failed or was cancelled, 5 when it asks something and no one is
/// at the terminal.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Its number, owner/repo#12 or its URL
    #[arg(value_name = "PR")]
    pull_request: String,

    /// How far it goes
    #[arg(long, value_enum, default_value_t = UntilName::Ready)]
    until: UntilName,

    #[command(flatten)]
    driving: DrivingArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum UntilName {
    /// Nothing stands in the way of a merge
    Ready,
    /// It is merged
    Merge,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    let order = Order {
        what: args.pull_request.clone(),
        tends: true,
        until: Some(match args.until {
            UntilName::Ready => Until::Ready,
            UntilName::Merge => Until::Merge,
        }),
        ..args.driving.order()
    };
    args.driving.start(&order, session)
}
