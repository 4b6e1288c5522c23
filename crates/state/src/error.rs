//! Errors of the state database.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// What could not be done, to which file, why, and what to do next.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} {}: {kind}; {}", path.display(), kind.next_step())]
pub struct StateError {
    /// Completes "cannot … FILE".
    doing: &'static str,
    path: PathBuf,
    kind: StateErrorKind,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// Why the state cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateErrorKind {
    /// The file or its folder must not be written to.
    ReadOnly,
    Full,
    /// Another process did not release it in time.
    Locked,
    /// A newer baton changed the format.
    Newer {
        found: u32,
        known: u32,
    },
    /// Not a database, or one whose contents are damaged.
    Corrupt,
    /// Something else is where the file or folder should be.
    InTheWay,
    /// The disk failed.
    Disk,
    Unexpected,
}

impl StateError {
    /// For callers that react to it; the message already explains it to a person.
    pub fn kind(&self) -> StateErrorKind {
        self.kind
    }

    /// The file or folder that could not be used.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn new(doing: &'static str, path: &Path, kind: StateErrorKind) -> Self {
        Self {
            doing,
            path: path.to_owned(),
            kind,
            source: None,
        }
    }

    pub(crate) fn from_io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        let kind = match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StateErrorKind::ReadOnly
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StateErrorKind::Full,
            io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::AlreadyExists => StateErrorKind::InTheWay,
            _ => StateErrorKind::Unexpected,
        };
        Self {
            source: Some(Box::new(source)),
            ..Self::new(doing, path, kind)
        }
    }

    pub(crate) fn from_sqlite(doing: &'static str, path: &Path, source: rusqlite::Error) -> Self {
        Self {
            kind: kind_of(&source),
            source: Some(Box::new(source)),
            ..Self::new(doing, path, StateErrorKind::Unexpected)
        }
    }
}

/// Whether another process held the database, so that waiting may help.
pub(crate) fn is_busy(error: &rusqlite::Error) -> bool {
    kind_of(error) == StateErrorKind::Locked
}

fn kind_of(error: &rusqlite::Error) -> StateErrorKind {
    match error.sqlite_error_code() {
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            StateErrorKind::ReadOnly
        }
        Some(ErrorCode::DiskFull) => StateErrorKind::Full,
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::FileLockingProtocolFailed,
        ) => StateErrorKind::Locked,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StateErrorKind::Corrupt,
        Some(ErrorCode::SystemIoFailure) => StateErrorKind::Disk,
        Some(_) => StateErrorKind::Unexpected,
        None => match error {
            // A value that we would not have written.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..) => StateErrorKind::Corrupt,
            _ => StateErrorKind::Unexpected,
        },
    }
}

impl StateErrorKind {
    fn next_step(self) -> &'static str {
        match self {
            Self::ReadOnly => {
                "give yourself write access to it and its folder, or choose another folder with `state.dir` in your configuration"
            }
            Self::Full => "free some space, then try again",
            Self::Locked => "wait for other calls of baton or end them, then try again",
            Self::Newer { .. } => "update baton",
            Self::Corrupt => {
                "move it away, with the files beside it whose names add `-wal` and `-shm`; baton then starts a new one"
            }
            Self::InTheWay => {
                "move away what is there, or choose another folder with `state.dir` in your configuration"
            }
            Self::Disk => "check the disk, then try again",
            Self::Unexpected => "its cause says more",
        }
    }
}

impl fmt::Display for StateErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadOnly => f.write_str("it cannot be written to"),
            Self::Full => f.write_str("there is no space left"),
            Self::Locked => f.write_str("another process is using it"),
            Self::Newer { found, known } => write!(
                f,
                "a newer baton has written it (format {found}, and this one knows {known})"
            ),
            Self::Corrupt => f.write_str("it is damaged or not a database of baton"),
            Self::InTheWay => f.write_str("there is something else in its place"),
            Self::Disk => f.write_str("the disk reports an error"),
            Self::Unexpected => f.write_str("something unexpected went wrong"),
        }
    }
}
