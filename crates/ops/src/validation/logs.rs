//! What other programs have found before and written down as SARIF. It is
//! merged into the review like what scanners say that are asked now.

use std::collections::HashSet;
use std::path::Path;

use baton_review::sarif::{self, Imported, SarifError};

use super::scanners::Scanned;

/// A SARIF log that is there already, or one that is not.
#[derive(Debug)]
pub struct ScannerLog {
    /// What notes call it.
    name: String,
    /// `None` when it is not written yet.
    imported: Option<Imported>,
}

impl ScannerLog {
    /// Of a log more is not read.
    pub const MAX_BYTES: usize = sarif::MAX_BYTES;

    /// `folder` is the project's: only what is said of files below it counts.
    pub fn read(name: &str, log: &[u8], folder: &Path) -> Result<Self, SarifError> {
        Ok(Self {
            name: name.to_owned(),
            imported: Some(sarif::read(log, folder.to_str())?),
        })
    }

    /// One that should be there and is not; a review says so and goes on.
    pub fn missing(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            imported: None,
        }
    }
}

/// Adds what the logs say of these files, and a note for all that is left out.
pub(super) fn add(logs: &[ScannerLog], files: &[String], scanned: &mut Scanned) {
    let files: HashSet<&str> = files.iter().map(String::as_str).collect();
    for log in logs {
        let name = &log.name;
        let Some(imported) = &log.imported else {
            scanned.notes.push(format!(
                "{name} is not there, so nothing was merged; let the scanner write it first"
            ));
            continue;
        };
        let mut note = |text: String| scanned.notes.push(format!("{name}: {text}"));
        let (here, elsewhere): (Vec<_>, Vec<_>) = imported
            .findings
            .iter()
            .partition(|finding| files.contains(finding.place.path.as_str()));
        if !elsewhere.is_empty() {
            let are = results(elsewhere.len(), "is", "are");
            note(format!("{are} about files that are not reviewed here"));
        }
        if imported.without_place > 0 {
            let name = results(imported.without_place, "names", "name");
            note(format!(
                "{name} no file below this folder, and nothing is read there"
            ));
        }
        if imported.left_out > 0 {
            let are = results(imported.left_out, "is", "are");
            note(format!("{are} beyond what is read of a log"));
        }
        scanned.findings.extend(here.into_iter().cloned());
    }
}

fn results(count: usize, one: &str, several: &str) -> String {
    match count {
        1 => format!("1 result {one}"),
        count => format!("{count} results {several}"),
    }
}
