//! Who may answer, cancel and resume: people, who have a key in the state folder
//! that the sandbox of a run does not show.

use std::io;

use baton_engine::PEOPLE_KEY_NAME;
use baton_state::{DATABASE_NAME, key_file};

use super::drive::Driving;
use super::{failed, state_folder};
use crate::environment;
use crate::error::CommandError;
use crate::session::Session;
use crate::terminal::harmless;

/// The engine, for a verb that only people may use.
pub(crate) async fn open_as_person(session: &Session) -> Result<Driving, CommandError> {
    if is_agent(session) {
        return Err(only_people("this is the process of a coding agent"));
    }
    let folder = state_folder(session)?;
    // Opening would make a state folder in the sandbox and then find no runs. Where
    // the sandbox shows a stand-in for the user's own, the key is a folder.
    let is_hidden = match key_file::read(&folder.join(PEOPLE_KEY_NAME)) {
        Ok(key) => key.is_none() && !folder.join(DATABASE_NAME).exists(),
        Err(error) => error.kind() == io::ErrorKind::IsADirectory,
    };
    if is_hidden {
        let folder = harmless(&folder.to_string_lossy());
        return Err(only_people(&format!("their key is not in {folder}")));
    }
    let driving = Driving::open(session).await?;
    let allowed = driving.engine.require_person().await;
    allowed.map_err(|error| failed(&error))?;
    Ok(driving)
}

/// Whether this process says that a coding agent of a run started it. Honest
/// ones do; the key keeps the others out.
pub(crate) fn is_agent(session: &Session) -> bool {
    let marks = environment::text(&session.environment, environment::BATON_CHILD);
    marks.is_some_and(|marks| marks.split(',').any(|mark| mark.starts_with("agent:")))
}

fn only_people(why: &str) -> CommandError {
    CommandError::missing(format!(
        "only people can answer, cancel or resume a run, and {why}"
    ))
    .hint("Run this outside of the run's sandbox, as the user who started the run.")
}
