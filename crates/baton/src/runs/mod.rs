//! Runs of the workflow, wired to this machine: where they are kept, where they
//! happen, who is told of them.

mod activity;
pub(crate) mod agents;
mod answering;
mod background;
mod begun;
mod checkouts;
mod describe;
mod drive;
mod find;
mod notify;
mod order;
mod people;
mod places;
mod policy;
mod question;
pub(crate) mod sandbox;
mod subject;
pub(crate) mod view;

use std::path::PathBuf;
use std::sync::Arc;

use baton_agents::AgentSteps;
use baton_engine::{Engine, EngineError, Options};
use baton_protocol::error_chain;
use baton_protocol::tools::list_workflows::ListWorkflowsOutput;
use baton_workflow::RunId;

pub(crate) use self::activity::{ActivityReader, Said};
pub(crate) use self::answering::answer;
pub(crate) use self::background::drive_in_background;
pub(crate) use self::describe::describe;
pub(crate) use self::drive::{
    DriveOptions, DriveOutcome, Driving, Questions, exit_of, needs_a_person,
};
pub(crate) use self::find::find;
pub(crate) use self::order::{Order, prepare};
pub(crate) use self::people::{is_agent, open_as_person, require_person};
pub(crate) use self::places::{agent, api_url, checkout};
pub(crate) use self::question::{put as put_question, show_question};

use self::places::RunPlaces;

use crate::error::CommandError;
use crate::session::Session;
use crate::terminal::sanitize;

/// The engine with everything that runs on this machine need.
pub(crate) async fn open(session: &Session) -> Result<Engine, CommandError> {
    let options = Options::new(state_folder(session)?);
    let crew = AgentSteps::new(RunPlaces::new(session));
    Engine::open(options, Arc::new(crew))
        .await
        .map_err(|error| failed(&error))
}

/// Where runs are kept.
pub(crate) fn state_folder(session: &Session) -> Result<PathBuf, CommandError> {
    let folder = session.config()?.state_dir(&session.environment);
    folder.ok_or_else(|| {
        CommandError::missing("there is no place to keep runs in: HOME is not set")
            .hint("Set HOME, or name a folder with BATON_STATE_DIR.")
    })
}

/// The engine's errors say what to do themselves.
pub(crate) fn failed(error: &EngineError) -> CommandError {
    if let EngineError::Unreadable { run, .. }
    | EngineError::Missing { run, .. }
    | EngineError::Inconsistent { run, .. } = error
    {
        return damaged(run, error);
    }
    let message = sanitize(&error_chain(error));
    match error {
        EngineError::NoSuchChoice { .. }
        | EngineError::NoQuestion { .. }
        | EngineError::Ended { .. }
        | EngineError::NoSuchRun { .. }
        | EngineError::Busy { .. } => CommandError::wrong_use(message),
        EngineError::State(_)
        | EngineError::Fenced { .. }
        | EngineError::OnlyPeople { .. }
        | EngineError::Newer { .. }
        | EngineError::Unreadable { .. }
        | EngineError::Missing { .. }
        | EngineError::Inconsistent { .. }
        | EngineError::Folder { .. }
        | EngineError::Stopped => CommandError::missing(message),
    }
}

/// What can still be had of a run whose journal is damaged.
fn damaged(run: &RunId, error: &EngineError) -> CommandError {
    let told = CommandError::missing(sanitize(&error.to_string()));
    let told = match std::error::Error::source(error) {
        Some(cause) => told.because(sanitize(&cause.to_string())),
        None => told,
    };
    told.hint(format!(
        "`baton logs {run}` shows what came before that, and which issue it is about: \
         `baton run NUMBER` takes that up again. Other runs are not affected."
    ))
}

/// Whether a living process, other than this one, drives the run.
pub(crate) async fn is_driven(engine: &Engine, run: &RunId) -> Result<bool, CommandError> {
    let runs = engine.open_runs().await.map_err(|error| failed(&error))?;
    Ok(runs.iter().any(|one| one.run == *run && one.driven))
}

/// The newest runs first, and what is wrong with those that cannot be read.
pub(crate) async fn list(
    engine: &Engine,
    open: bool,
    limit: usize,
) -> Result<ListWorkflowsOutput, CommandError> {
    let runs = if open {
        let mut runs = engine.open_runs().await.map_err(|error| failed(&error))?;
        runs.reverse();
        runs.truncate(limit);
        runs
    } else {
        engine.runs(limit).await.map_err(|error| failed(&error))?
    };
    let mut workflows = Vec::new();
    for run in &runs {
        match engine.state(&run.run).await {
            Ok(state) => workflows.push(describe::summarize(run, &state)),
            // It was forgotten just now.
            Err(EngineError::NoSuchRun { .. }) => {}
            Err(error) => workflows.push(describe::as_far_as_known(run, &failed(&error))),
        }
    }
    Ok(ListWorkflowsOutput { workflows })
}
