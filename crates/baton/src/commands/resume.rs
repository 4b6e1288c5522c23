//! `baton resume`: resumes an inactive run.

use super::run::finish;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs::view::Watching;
use crate::runs::{self, DriveOptions, DriveOutcome, Questions};
use crate::runtime;
use crate::session::Session;

/// Resume an inactive run, and follow it
///
/// A run stays where it was when its process ends, however that ends. Exits as
/// `baton run` does; a run that has ended answers the same again.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run, or enough of its name; `-` is the newest
    run: String,

    /// Leave the run to a process in the background
    #[arg(long)]
    detach: bool,

    /// Print the run as one JSON object at the end
    #[arg(long)]
    json: bool,

    /// Be that process: say what happens in lines, and wait for answers
    #[arg(long, hide = true, conflicts_with = "detach")]
    background: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    runtime::drive(async |cancel| {
        let mut driving = runs::open_as_person(session).await?;
        let run = runs::find(&driving.engine, &args.run).await?;
        let state = driving.engine.state(&run).await;
        let state = state.map_err(|error| runs::failed(&error))?;
        if state.ending().is_some() {
            return finish(&DriveOutcome::Ended(Box::new(state)), args.json, session);
        }
        if args.detach {
            return super::answer::leave_to_background(&driving.engine, &run, args.json, session)
                .await;
        }
        let options = if args.background {
            DriveOptions {
                watching: Watching::Lines,
                questions: Questions::Wait,
            }
        } else {
            DriveOptions::for_caller()
        };
        let outcome = driving.drive(&run, options, &cancel).await?;
        finish(&outcome, args.json, session)
    })
}
