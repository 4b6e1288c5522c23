//! `baton answer`: answer the question of a run.

use baton_engine::Engine;
use baton_workflow::{Answer, RunId};
use tokio_util::sync::CancellationToken;

use super::run::finish;
use crate::acceptances::Expiry;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::runs::{self, DriveOptions, Driving};
use crate::runtime;
use crate::session::Session;
use crate::terminal;

/// Answer the question that a run asks
///
/// Only people can answer: it takes a key that the sandbox of a run does not show.
/// `a` with a comment accepts what the run asks about for the repository, as
/// `baton accept` does; without one it holds for this run.
/// Where a process waits for the answer, it goes on; otherwise the run goes on
/// here, as with `baton resume`, and this exits as that does.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run, or enough of its name; `-` is the newest
    run: String,

    /// The letter of one of the answers
    choice: char,

    /// What the next step should know
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,

    /// Let the run go on in the background
    #[arg(long)]
    detach: bool,

    /// Print the run as one JSON object at the end
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, CommandError> {
    runtime::drive(async |cancel| {
        let driving = runs::open_as_person(session).await?;
        let run = runs::find(&driving.engine, &args.run).await?;
        let answer = Answer {
            choice: args.choice,
            comment: args.comment.clone(),
        };
        let expiry = Expiry::default();
        let accepted =
            runs::answer(&driving.engine, &run, answer, expiry, session, &cancel).await?;
        super::accept::tell(&accepted);
        go_on(driving, &run, args.detach, args.json, session, &cancel).await
    })
}

/// Lets a run go on that was answered: where its driver is, in the background or
/// here.
pub(super) async fn go_on(
    mut driving: Driving,
    run: &RunId,
    detach: bool,
    json: bool,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<Exit, CommandError> {
    if runs::is_driven(&driving.engine, run).await? {
        terminal::error_line(&format!(
            "Answered. The process that waits for it goes on; `baton logs -f {run}` follows."
        ));
        return say(&driving.engine, run, true, json).await;
    }
    if detach {
        return leave_to_background(&driving.engine, run, json, session).await;
    }
    let outcome = driving
        .drive(run, DriveOptions::for_caller(), cancel)
        .await?;
    finish(&outcome, json, session)
}

pub(super) async fn leave_to_background(
    engine: &Engine,
    run: &RunId,
    json: bool,
    session: &Session,
) -> Result<Exit, CommandError> {
    runs::drive_in_background(engine, run, session).await?;
    terminal::error_line(&format!(
        "It goes on in the background; `baton logs -f {run}` follows it."
    ));
    say(engine, run, true, json).await
}

async fn say(engine: &Engine, run: &RunId, driven: bool, json: bool) -> Result<Exit, CommandError> {
    let state = engine.state(run).await;
    let state = state.map_err(|error| runs::failed(&error))?;
    terminal::result(&if json {
        super::show::as_json(&runs::describe(&state, driven))
    } else {
        format!("{run}\n")
    })?;
    Ok(Exit::Done)
}
