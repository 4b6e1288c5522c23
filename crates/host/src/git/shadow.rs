//! A stand-in for the shared folder of a repository: its objects and refs, a
//! configuration with only the settings that are allowed, and no hooks.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::discover::{GIT_DIR_PREFIX, Location, pointer};

/// What git finds in the stand-in as it is in the repository. There are no
/// `hooks`, and no `remotes` and `branches`, in which old versions kept URLs.
const SHARED: [&str; 10] = [
    "HEAD",
    "info",
    "lfs",
    "logs",
    "objects",
    "packed-refs",
    "refs",
    "reftable",
    "shallow",
    "worktrees",
];

/// git makes these when it needs them, and cannot through a link to nothing.
const MADE_BEFORE_WRITING: [&str; 4] = ["info", "lfs", "logs", "worktrees"];

/// The folder ends with the value.
#[derive(Debug)]
pub(super) struct Shadow {
    pub(super) location: Location,
    /// How sparse this worktree alone is, where worktrees have settings of
    /// their own.
    sparse_config: String,
    folder: TempDir,
}

impl Shadow {
    pub(super) fn make(
        location: Location,
        temporary: &Path,
        config: &str,
        sparse_config: String,
    ) -> io::Result<Self> {
        let folder = TempDir::with_prefix_in("baton-git-", temporary)?;
        for name in SHARED {
            symlink(location.common_dir.join(name), folder.path().join(name))?;
        }
        fs::write(folder.path().join("config"), config)?;
        Ok(Self {
            location,
            sparse_config,
            folder,
        })
    }

    /// Makes a new worktree belong to the repository itself, whose place git
    /// took from here, and as sparse as this one. git would do that, too, if it
    /// saw that worktrees have settings of their own.
    pub(super) fn settle_worktree(&self, worktree: &Path) -> io::Result<()> {
        let dot_git = worktree.join(".git");
        let git_dir = pointer(&dot_git, GIT_DIR_PREFIX)
            .ok_or_else(|| io::Error::other("git made no worktree"))?;
        let git_dir = worktree.join(git_dir).canonicalize()?;
        let line = [GIT_DIR_PREFIX, git_dir.as_os_str().as_bytes(), b"\n"].concat();
        fs::write(&dot_git, line)?;
        if self.sparse_config.is_empty() {
            return Ok(());
        }
        fs::write(git_dir.join("config.worktree"), &self.sparse_config)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Makes room for what a call may write.
    pub(super) fn prepare_for_writing(&self) -> io::Result<()> {
        for name in MADE_BEFORE_WRITING {
            match fs::create_dir(self.location.common_dir.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// A message of git's about the repository that the user knows.
    pub(super) fn with_real_path(&self, message: &str) -> String {
        let own = self.folder().to_string_lossy();
        message.replace(&*own, &self.main_worktree().to_string_lossy())
    }

    /// The folder of the main worktree, which git takes from the name of the
    /// shared folder.
    pub(super) fn main_worktree(&self) -> PathBuf {
        let common = &self.location.common_dir;
        match common.parent() {
            Some(parent) if common.ends_with(".git") => parent.to_path_buf(),
            _ => common.clone(),
        }
    }
}
