//! `baton cancel`: end a run early.

use baton_workflow::Ending;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs::view::Watching;
use crate::runs::{self, DriveOptions, Questions};
use crate::runtime;
use crate::session::Session;
use crate::terminal;

/// End a run early: stop what is under way, let go of what it holds
///
/// Waits until it has ended. Its branch, worktree and pull request are cleaned
/// up as far as nothing else needs them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run, or enough of its name; `-` is the newest
    run: String,

    /// Why, for those who look at the run later
    #[arg(long, value_name = "TEXT", default_value = "cancelled by a user")]
    reason: String,

    /// Print the run as one JSON object at the end
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    runtime::drive(async |cancel| {
        let mut driving = runs::open_as_person(session).await?;
        let run = runs::find(&driving.engine, &args.run).await?;
        let cancelled = driving.engine.cancel(&run, &args.reason).await;
        cancelled.map_err(|error| runs::failed(&error))?;
        let state = if runs::is_driven(&driving.engine, &run).await? {
            let mut follower = driving.engine.follow(&run, 0);
            let to_its_end = async {
                while follower.next().await?.is_some() {}
                driving.engine.state(&run).await
            };
            tokio::select! {
                state = to_its_end => state.map_err(|error| runs::failed(&error))?,
                () = cancel.cancelled() => return Err(CommandError::interrupted()
                    .hint("The process that drives the run has been told and ends it.")),
            }
        } else {
            let options = DriveOptions {
                watching: Watching::for_stderr(),
                questions: Questions::Wait,
            };
            driving.drive(&run, options, &cancel).await?.into_state()
        };
        let workflow = runs::describe(&state, false);
        terminal::result(&if args.json {
            super::show::as_json(&workflow)
        } else {
            format!("{run}\n")
        })?;
        // It may have been merged before it could be stopped.
        Ok(match state.ending() {
            Some(Ending::Closed) => Exit::Failed,
            _ => Exit::Done,
        })
    })
}
