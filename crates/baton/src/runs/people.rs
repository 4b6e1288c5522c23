//! Who may accept, answer, cancel and resume: people, who have a key in the state
//! folder that the sandbox of a run does not show.

use std::io;
use std::path::Path;

use baton_engine::PEOPLE_KEY_NAME;
use baton_state::{DATABASE_NAME, key_file};

use super::drive::Driving;
use super::{failed, state_folder};
use crate::environment;
use crate::error::CommandError;
use crate::session::Session;
use crate::terminal::sanitize;

/// The engine, for a verb that only people may use.
pub(crate) async fn open_as_person(session: &Session) -> Result<Driving, CommandError> {
    require_person(session)?;
    let folder = state_folder(session)?;
    // Opening would make a state folder, also in a sandbox that hides the user's own.
    if !folder.join(DATABASE_NAME).exists() {
        return Err(no_runs(&folder));
    }
    let driving = Driving::open(session).await?;
    let runs = driving.engine.runs(1).await;
    if runs.map_err(|error| failed(&error))?.is_empty() {
        return Err(no_runs(&folder));
    }
    let allowed = driving.engine.require_person().await;
    allowed.map_err(|error| failed(&error))?;
    Ok(driving)
}

/// An error where this is the process of a coding agent, or in the sandbox of one.
/// That the key is not there yet is no error: it is made with the first run.
pub(crate) fn require_person(session: &Session) -> Result<(), CommandError> {
    if is_agent(session) {
        return Err(only_people("this is the process of a coding agent"));
    }
    let folder = state_folder(session)?;
    // Where the sandbox shows a stand-in for the user's own folder, the key is a
    // folder.
    match key_file::read(&folder.join(PEOPLE_KEY_NAME)) {
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            let folder = sanitize(&folder.to_string_lossy());
            Err(only_people(&format!("their key is not in {folder}")))
        }
        // The caller that needs the key reports what is wrong with it.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Whether this process says that a coding agent of a run started it. Honest
/// ones do; the key keeps the others out.
pub(crate) fn is_agent(session: &Session) -> bool {
    let marks = environment::text(&session.environment, environment::BATON_CHILD);
    marks.is_some_and(|marks| marks.split(',').any(|mark| mark.starts_with("agent:")))
}

fn no_runs(folder: &Path) -> CommandError {
    let folder = sanitize(&folder.to_string_lossy());
    CommandError::missing(format!("there are no runs in {folder}"))
        .hint("`baton run \"what you want\"` starts one.")
        .hint("The sandbox of a run hides runs: only people can accept, answer, cancel or resume, outside of it.")
}

fn only_people(why: &str) -> CommandError {
    CommandError::missing(format!(
        "only people can accept findings and answer, cancel or resume a run, and {why}"
    ))
    .hint("Run this outside of the run's sandbox, as the user who started the run.")
}
