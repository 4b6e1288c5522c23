//! Takes snapshots of the working tree.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::names::check_revision;
use super::working_tree::{Scratch, file_error};
use super::{ChangedFile, FileDiff, Git, GitError, Oid, parse};

/// The working tree as it was at one moment: later changes can be listed and
/// undone, and it can be compared with a commit.
///
/// Everything is kept in a temporary folder that is removed with the value.
/// Ignored files are not part of it.
#[derive(Debug)]
pub struct TreeSnapshot {
    git: Git,
    top_level: PathBuf,
    scratch: Scratch,
    tree: Oid,
}

impl Git {
    /// Remembers the whole working tree around this folder, committed or not.
    pub async fn snapshot(&self) -> Result<TreeSnapshot, GitError> {
        let top_level = self.path_of("--show-toplevel").await?;
        // Names in trees and indexes are relative to the top.
        let git = self.at(&top_level);
        let scratch = git.scratch().await?;
        let tree = git.tree_in(&scratch, &scratch.index()).await?;
        Ok(TreeSnapshot {
            git,
            top_level,
            scratch,
            tree,
        })
    }
}

impl TreeSnapshot {
    /// All paths of a snapshot are relative to this folder.
    pub fn top_level(&self) -> &Path {
        &self.top_level
    }

    /// The same content gives the same id.
    pub fn tree(&self) -> &Oid {
        &self.tree
    }

    /// The tree as it is now.
    pub async fn tree_now(&self) -> Result<Oid, GitError> {
        let index = self.scratch.second_index().map_err(file_error)?;
        self.git.tree_in(&self.scratch, &index).await
    }

    /// What became of the files since the snapshot; no renames, since they are
    /// to be undone one by one.
    pub async fn changes(&self) -> Result<Vec<ChangedFile>, GitError> {
        let now = self.tree_now().await?;
        if now == self.tree {
            return Ok(Vec::new());
        }
        let call = self
            .scratch
            .call(&self.scratch.index())
            .args(["diff-tree", "-r", "-z", "--name-status", "--no-renames"])
            .args([self.tree.as_str(), now.as_str()]);
        let reply = self.git.call(call).await?.success()?;
        Ok(parse::changed_files(&reply.stdout))
    }

    /// What differs between a commit and the snapshot, line by line.
    pub async fn diff_from(&self, base: &str, context: u32) -> Result<Vec<FileDiff>, GitError> {
        let call = self
            .scratch
            .call(&self.scratch.index())
            .args(["diff-tree", "-r", "-z", "--raw", "--patch", "--full-index"])
            .args(["--find-renames", "--no-ext-diff", "--no-textconv"])
            .args(["--no-color", "--no-commit-id"])
            .arg(format!("--unified={context}"))
            .arg("--end-of-options")
            .args([check_revision(base)?, self.tree.as_str()]);
        let reply = self.git.call(call).await?.success()?;
        Ok(parse::diff(&reply.stdout))
    }

    /// Brings files back to what they were. Those that were not there stay.
    pub async fn restore(&self, paths: &[PathBuf]) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        let mut names = Vec::new();
        for path in paths {
            names.extend_from_slice(path.as_os_str().as_bytes());
            names.push(0);
        }
        let call = self
            .scratch
            .call(&self.scratch.index())
            .args(["checkout-index", "--force", "-z", "--stdin"])
            .stdin(names);
        self.git.call(call).await?.success().map(|_| ())
    }
}
