//! The folder that the demo works in.

use std::fs;
use std::path::{Path, PathBuf};

use super::Args;
use crate::error::CommandError;
use crate::terminal::sanitize;

/// Where everything of the demo is. It goes when the demo ends, unless it is
/// wanted.
pub(super) enum Folder {
    Temporary(tempfile::TempDir),
    Kept(PathBuf),
}

impl Folder {
    pub(super) fn make(args: &Args) -> Result<Self, CommandError> {
        let failed = |error: std::io::Error| {
            CommandError::missing("cannot make a folder for the demo")
                .because(error)
                .hint("Name a folder that you may write to with --dir.")
        };
        if let Some(dir) = &args.dir {
            fs::create_dir_all(dir).map_err(failed)?;
            if fs::read_dir(dir).map_err(failed)?.next().is_some() {
                return Err(CommandError::wrong_use(format!(
                    "{} is not empty",
                    sanitize(&dir.to_string_lossy())
                ))
                .hint("Name a folder that is empty or not there yet."));
            }
            return dir.canonicalize().map(Self::Kept).map_err(failed);
        }
        let folder = tempfile::Builder::new()
            .prefix("baton-demo-")
            .tempdir()
            .map_err(failed)?;
        Ok(if args.keep {
            Self::Kept(folder.keep())
        } else {
            Self::Temporary(folder)
        })
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Temporary(folder) => folder.path(),
            Self::Kept(path) => path,
        }
    }

    pub(super) fn kept(&self) -> Option<&Path> {
        match self {
            Self::Temporary(_) => None,
            Self::Kept(path) => Some(path),
        }
    }
}
