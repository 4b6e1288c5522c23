use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// What could not be done, to which file, why, and what to do next.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} {}: {trouble}; {}", path.display(), trouble.next_step())]
pub struct StateError {
    /// Completes "cannot … FILE".
    doing: &'static str,
    path: PathBuf,
    trouble: Trouble,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// Why the state cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The file or its folder must not be written to.
    ReadOnly,
    Full,
    /// Another process did not let go of it in time.
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
    /// For what to do about it; the message already tells a person.
    pub fn trouble(&self) -> Trouble {
        self.trouble
    }

    /// The file or folder that could not be used.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn new(doing: &'static str, path: &Path, trouble: Trouble) -> Self {
        Self {
            doing,
            path: path.to_owned(),
            trouble,
            source: None,
        }
    }

    pub(crate) fn from_io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        let trouble = match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Trouble::ReadOnly
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Trouble::Full,
            io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::AlreadyExists => Trouble::InTheWay,
            _ => Trouble::Unexpected,
        };
        Self {
            source: Some(Box::new(source)),
            ..Self::new(doing, path, trouble)
        }
    }

    pub(crate) fn from_sqlite(doing: &'static str, path: &Path, source: rusqlite::Error) -> Self {
        Self {
            trouble: trouble_of(&source),
            source: Some(Box::new(source)),
            ..Self::new(doing, path, Trouble::Unexpected)
        }
    }
}

/// Whether another process stood in the way, so that waiting may help.
pub(crate) fn is_busy(error: &rusqlite::Error) -> bool {
    trouble_of(error) == Trouble::Locked
}

fn trouble_of(error: &rusqlite::Error) -> Trouble {
    match error.sqlite_error_code() {
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            Trouble::ReadOnly
        }
        Some(ErrorCode::DiskFull) => Trouble::Full,
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::FileLockingProtocolFailed,
        ) => Trouble::Locked,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Trouble::Corrupt,
        Some(ErrorCode::SystemIoFailure) => Trouble::Disk,
        Some(_) => Trouble::Unexpected,
        None => match error {
            // A value that we would not have written.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..) => Trouble::Corrupt,
            _ => Trouble::Unexpected,
        },
    }
}

impl Trouble {
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

impl fmt::Display for Trouble {
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
