//! SARIF files of other scanners, as a flag or the configuration names them.

use std::fs;
use std::path::Path;

use baton_ops::validation::ScannerLog;

use crate::config::Config;
use crate::document::Place;
use crate::error::CommandError;
use crate::terminal::sanitize;

/// Those of `--merge-sarif`.
pub(super) fn given(places: &[Place], folder: &Path) -> Result<Vec<ScannerLog>, CommandError> {
    places.iter().map(|place| read(place, folder)).collect()
}

/// Those of `review.sarif`, relative to the project's folder. A scanner may not
/// have run here yet, so what is missing is left for a note.
pub(crate) fn configured(config: &Config, folder: &Path) -> Result<Vec<ScannerLog>, CommandError> {
    let Some(value) = config.get("review.sarif") else {
        return Ok(Vec::new());
    };
    let names = config.list("review.sarif");
    let logs = names.iter().map(|name| {
        let path = folder.join(name);
        let Ok(real) = path.canonicalize() else {
            return Ok(ScannerLog::missing(name));
        };
        // A cloned repository must not choose what is read elsewhere.
        let is_below = folder
            .canonicalize()
            .is_ok_and(|root| real.starts_with(root));
        if value.source.is_repository() && !is_below {
            let name = sanitize(name);
            let error = format!("{}: `review.sarif` names {name}", value.source);
            return Err(
                CommandError::wrong_use(format!("{error}, which is outside this folder")).hint(
                    "Name files below the folder, or name this one in your own configuration file.",
                ),
            );
        }
        if !fs::metadata(&real).is_ok_and(|facts| facts.is_file()) {
            return Err(no_log(name).hint("`review.sarif` names files."));
        }
        read(&Place::File(path), folder)
    });
    logs.collect()
}

fn read(place: &Place, folder: &Path) -> Result<ScannerLog, CommandError> {
    let bytes = place.read(ScannerLog::MAX_BYTES)?;
    let name = match place {
        Place::StandardInput => place.to_string(),
        Place::File(path) => path
            .strip_prefix(folder)
            .unwrap_or(path)
            .display()
            .to_string(),
    };
    ScannerLog::read(&name, &bytes, folder).map_err(|error| {
        no_log(&name)
            .because(error)
            .hint("docs/review.md says how each scanner writes one.")
    })
}

fn no_log(name: &str) -> CommandError {
    CommandError::wrong_use(format!("{} is no SARIF file", sanitize(name)))
}
