//! What `baton doctor` checks, and how it reports.

use std::fs;
use std::path::Path;

use crate::session::Session;

/// One thing that was looked at.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) area: &'static str,
    pub(super) status: Status,
    /// What was found, in one line.
    pub(super) finding: String,
    /// What to do about it.
    pub(super) next: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Fine,
    /// Something is not there that some uses need.
    Note,
    /// Something is not there that baton cannot do without.
    Missing,
}

impl Status {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Note => "note",
            Self::Missing => "missing",
        }
    }
}

impl Check {
    pub(super) fn fine(area: &'static str, finding: impl Into<String>) -> Self {
        Self {
            area,
            status: Status::Fine,
            finding: finding.into(),
            next: None,
        }
    }

    pub(super) fn note(
        area: &'static str,
        finding: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        Self {
            status: Status::Note,
            next: Some(next.into()),
            ..Self::fine(area, finding)
        }
    }

    pub(super) fn missing(
        area: &'static str,
        finding: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        Self {
            status: Status::Missing,
            ..Self::note(area, finding, next)
        }
    }
}

/// The configuration can be read, and the state folder can be written.
pub(super) fn own_files(session: &Session) -> Vec<Check> {
    const AREA: &str = "baton";
    let config = match session.config() {
        Ok(config) => config,
        Err(error) => {
            return vec![Check::missing(
                AREA,
                error.message(),
                error.hints().first().map_or("", String::as_str),
            )];
        }
    };
    let read = config.files.iter().filter(|file| file.exists()).count();
    let mut checks = vec![Check::fine(
        AREA,
        format!(
            "configuration: {read} of {} files are there",
            config.files.len()
        ),
    )];
    checks.push(match config.state_dir(&session.environment) {
        None => Check::missing(
            AREA,
            "there is no place for baton's state: HOME is not set",
            "Set HOME or BATON_STATE_DIR.",
        ),
        Some(folder) => match writable(&folder) {
            Ok(()) => Check::fine(AREA, format!("state folder: {}", folder.display())),
            Err(error) => Check::missing(
                AREA,
                format!("state folder {}: {error}", folder.display()),
                "Make it writable, or set BATON_STATE_DIR to another folder.",
            ),
        },
    });
    checks
}

/// Only a file that was really written proves that one can be.
fn writable(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let probe = tempfile::Builder::new()
        .prefix(".probe")
        .tempfile_in(folder)?;
    fs::write(probe.path(), b"probe")
}
