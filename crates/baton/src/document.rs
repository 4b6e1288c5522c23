//! Reading what a verb was pointed at: a file, or `-` for standard input; and
//! writing the files that it was asked for.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::CommandError;
use crate::terminal::sanitize;

/// Where a document comes from.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    StandardInput,
    File(PathBuf),
}

impl Place {
    /// At most one byte more than `limit`, so that the reader of the document
    /// can tell that it is too long without anybody holding all of it.
    pub(crate) fn read(&self, limit: usize) -> Result<Vec<u8>, CommandError> {
        let unreadable = |error: io::Error| {
            let kind = error.kind();
            let told = CommandError::missing(format!("cannot read {self}")).because(error);
            match kind {
                io::ErrorKind::NotFound => {
                    told.hint("Check the path, or pass `-` to read from standard input.")
                }
                io::ErrorKind::IsADirectory => told.hint("Name a file in that folder."),
                _ => told,
            }
        };
        let mut bytes = Vec::new();
        let most = limit as u64 + 1;
        match self {
            Self::StandardInput => io::stdin().lock().take(most).read_to_end(&mut bytes),
            Self::File(path) => File::open(path).and_then(|f| f.take(most).read_to_end(&mut bytes)),
        }
        .map_err(unreadable)?;
        Ok(bytes)
    }
}

/// Writes a file that is to stay in the project, in a folder that may not be
/// there yet.
pub(crate) fn write_in_folder(path: &Path, content: &str) -> Result<(), CommandError> {
    if let Some(folder) = path.parent() {
        // If it cannot be made, writing the file fails and says so.
        let _ = fs::create_dir_all(folder);
    }
    write(path, content)
}

/// Writes a file that a flag asked for.
pub(crate) fn write(path: &Path, content: &str) -> Result<(), CommandError> {
    fs::write(path, content).map_err(|error| {
        CommandError::missing(format!(
            "cannot write {}",
            sanitize(&path.to_string_lossy())
        ))
        .because(error)
        .hint("Check that its folder exists and that there is space left.")
    })
}

/// `-` means standard input.
impl From<std::ffi::OsString> for Place {
    fn from(text: std::ffi::OsString) -> Self {
        if text == "-" {
            Self::StandardInput
        } else {
            Self::File(PathBuf::from(text))
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StandardInput => f.write_str("standard input"),
            Self::File(path) => f.write_str(&sanitize(&path.to_string_lossy())),
        }
    }
}
