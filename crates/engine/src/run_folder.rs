//! The folder of a run: its handoffs as documents, and what its steps leave.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use baton_workflow::{RunId, State};

pub(crate) fn path(runs: &Path, run: &RunId) -> PathBuf {
    runs.join(run.as_str())
}

/// Writes the handoffs after the first `known` ones. They are in the journal
/// already; these are for people and other programs. Blocks.
pub(crate) fn write_handoffs(runs: &Path, state: &State, known: usize) -> io::Result<()> {
    let passed = state.passed().get(known..).unwrap_or_default();
    if passed.is_empty() {
        return Ok(());
    }
    let folder = path(runs, state.run()).join("handoffs");
    fs::create_dir_all(&folder)?;
    for passed in passed {
        let name = passed.key.within_run();
        let finished = folder.join(format!("{name}.xml"));
        // The process before this one may have written it.
        if finished.exists() {
            continue;
        }
        let document = passed.handoff.to_xml(passed.at);
        // Renamed into place, so that a reader never sees a partial file.
        let unfinished = folder.join(format!(".{name}.xml"));
        fs::write(&unfinished, document)?;
        fs::rename(&unfinished, finished)?;
    }
    Ok(())
}

/// Removes what is left of runs that were forgotten. Blocks.
pub(crate) fn remove(runs: &Path, names: &[String]) {
    for run in names.iter().filter_map(|name| name.parse::<RunId>().ok()) {
        // A folder that was never created or is in use is not an error.
        if let Err(error) = fs::remove_dir_all(path(runs, &run))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%run, %error, "the folder of a forgotten run stays");
        }
    }
}
