//! Errors of children that could not be started.

use std::io;
use std::path::PathBuf;

/// A child that could not be started. One that ran and failed is an
/// [`Outcome`](super::Outcome).
#[derive(Debug, thiserror::Error)]
pub enum CmdError {
    #[error("cannot find the program `{program}`: {hint}")]
    NotFound { program: String, hint: String },
    #[error(
        "not permitted to run `{program}` ({}): make the file executable, or check the permissions of its folders",
        path.display()
    )]
    NotPermitted { program: String, path: PathBuf },
    #[error(
        "cannot run `{program}` in {}: the working directory is missing or not a folder that can be entered",
        path.display()
    )]
    WorkingDirectory {
        program: String,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(
        "cannot start `{program}` in its sandbox: {reason}; `baton doctor` says what this system offers"
    )]
    Sandbox { program: String, reason: String },
    #[error("cannot start `{program}`")]
    Spawn {
        program: String,
        #[source]
        source: io::Error,
    },
}
