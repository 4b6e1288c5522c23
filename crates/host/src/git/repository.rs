//! Reads basic facts of a repository: its kind, its folders, its HEAD.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::call::Call;
use super::{Git, GitError, Oid, parse};

/// What kind of repository a folder belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryFacts {
    /// The root of the working tree; absent in a bare repository and inside the
    /// `.git` folder.
    pub top_level: Option<PathBuf>,
    /// The folder of this worktree's own state.
    pub git_dir: PathBuf,
    /// The folder of what all worktrees share.
    pub common_dir: PathBuf,
    pub bare: bool,
    pub shallow: bool,
    pub linked_worktree: bool,
    pub head: Head,
}

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    Branch {
        name: String,
        commit: Oid,
    },
    Detached {
        commit: Oid,
    },
    /// A branch that will exist with its first commit.
    Unborn {
        name: String,
    },
}

impl Head {
    pub fn commit(&self) -> Option<&Oid> {
        match self {
            Self::Branch { commit, .. } | Self::Detached { commit } => Some(commit),
            Self::Unborn { .. } => None,
        }
    }

    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch { name, .. } | Self::Unborn { name } => Some(name),
            Self::Detached { .. } => None,
        }
    }
}

impl Git {
    pub async fn facts(&self) -> Result<RepositoryFacts, GitError> {
        let call = Call::read("look at the repository").args([
            "rev-parse",
            "--is-bare-repository",
            "--is-inside-work-tree",
            "--is-shallow-repository",
            "--absolute-git-dir",
        ]);
        let reply = self.call(call).await?.success()?;
        let Some(layout) = parse::layout(&reply.stdout) else {
            return Err(reply.unreadable());
        };
        let common_dir = match self.shadow().await? {
            Some(shadow) => shadow.location.common_dir.clone(),
            None => self.path_of("--git-common-dir").await?,
        };
        let top_level = if layout.inside_work_tree {
            Some(self.path_of("--show-toplevel").await?)
        } else {
            None
        };
        Ok(RepositoryFacts {
            top_level,
            linked_worktree: layout.git_dir != common_dir,
            git_dir: layout.git_dir,
            common_dir,
            bare: layout.bare,
            shallow: layout.shallow,
            head: self.head().await?,
        })
    }

    pub async fn head(&self) -> Result<Head, GitError> {
        let call = Call::read("find the current branch").args(["symbolic-ref", "--quiet", "HEAD"]);
        let reply = self.call(call).await?;
        let name = match reply.code {
            0 => {
                let full = reply.line();
                Some(
                    full.strip_prefix("refs/heads/")
                        .map_or_else(|| full.clone(), str::to_owned),
                )
            }
            1 => None,
            _ => return Err(reply.failed()),
        };
        match (name, self.find_commit("HEAD").await?) {
            (Some(name), Some(commit)) => Ok(Head::Branch { name, commit }),
            (Some(name), None) => Ok(Head::Unborn { name }),
            (None, Some(commit)) => Ok(Head::Detached { commit }),
            (None, None) => Err(GitError::NoSuch {
                what: "commit",
                name: "HEAD".to_owned(),
            }),
        }
    }

    /// One path per call: a path may contain line breaks, and so nothing can be
    /// printed after it.
    pub(super) async fn path_of(&self, question: &str) -> Result<PathBuf, GitError> {
        let call = Call::read("find the folders of the repository").args([
            "rev-parse",
            "--path-format=absolute",
            question,
        ]);
        let mut reply = self.call(call).await?.success()?;
        if reply.stdout.pop() == Some(b'\n') && !reply.stdout.is_empty() {
            Ok(OsString::from_vec(reply.stdout).into())
        } else {
            Err(reply.unreadable())
        }
    }
}
