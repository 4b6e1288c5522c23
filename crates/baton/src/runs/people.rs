//! Who may answer, cancel and resume: people, who have a key in the state folder
//! that the sandbox of a run does not show.

use baton_engine::PEOPLE_KEY_NAME;
use baton_state::DATABASE_NAME;

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
    // Opening would make a state folder in the sandbox and then find no runs.
    let is_there = |name: &str| folder.join(name).exists();
    if !is_there(PEOPLE_KEY_NAME) && !is_there(DATABASE_NAME) {
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
