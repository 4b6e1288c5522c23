//! Driving a run in a process of its own, which stays when this one goes.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use baton_engine::Engine;
use baton_host::cmd::Cmd;
use baton_workflow::RunId;

use super::failed;
use crate::error::CommandError;
use crate::session::Session;
use crate::terminal::sanitize;

/// What a driver in the background says, in the run's folder.
const LOG: &str = "driver.log";

/// Starts one for a run that this process does not drive. Says where its log
/// is.
pub(crate) async fn drive_in_background(
    engine: &Engine,
    run: &RunId,
    session: &Session,
) -> Result<PathBuf, CommandError> {
    engine.release(run).await.map_err(|error| failed(&error))?;
    let folder = engine.run_folder(run);
    let log = folder.join(LOG);
    let unusable = |error: std::io::Error| {
        CommandError::missing(format!("cannot write {}", sanitize(&log.to_string_lossy())))
            .because(error)
            .hint("Check that the state folder can be written to; `baton doctor` says where it is.")
    };
    fs::create_dir_all(&folder).map_err(unusable)?;
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .open(&log)
        .map_err(unusable)?;
    let program = std::env::current_exe()
        .map_err(|error| CommandError::missing("cannot find baton's own program").because(error))?;
    // It gets the tokens in its environment, and puts them away at its start.
    let flags = session.flags().iter().flat_map(|flag| ["--config", flag]);
    Cmd::new(program, Path::new("/"), &session.environment)
        .args(["--color", "never"])
        .args(flags)
        .args(["resume", run.as_str(), "--background"])
        .start_detached(file)
        .map_err(|error| {
            CommandError::missing("cannot start baton in the background")
                .because(error)
                .hint(format!("`baton resume {run}` drives the run here."))
        })?;
    Ok(log)
}
