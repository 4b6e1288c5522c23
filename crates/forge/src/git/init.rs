//! Making and removing repositories.

use std::fs;
use std::io;
use std::path::Path;

use baton_host::git::{Call, GitError};
use tempfile::TempDir;

use super::{GitRepository, Ref};

/// What every repository of the forge is set to.
const CONFIG: &str = "\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = false
\tfsync = committed,loose-object,reference
[gc]
\tauto = 0
[receive]
\tautogc = false
\tadvertisePushOptions = true
\tdenyDeletes = false
\tdenyDeleteCurrent = ignore
\tdenyCurrentBranch = ignore
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[http]
\treceivepack = true
";

impl GitRepository {
    /// Makes it, empty, with `HEAD` at a branch that has no commit yet.
    pub(crate) async fn init(&self, default_branch: &str) -> Result<(), GitError> {
        let (draft, _folder) = self.draft()?;
        let call = Call::write("make a repository")
            .args(["init", "--quiet", "--bare", "--template="])
            .arg(format!("--initial-branch={default_branch}"));
        draft.call(call).await?.success()?;
        self.take_over(&draft)
    }

    /// Makes it as a copy of another: branches, tags and all objects.
    pub(crate) async fn init_from(
        &self,
        source: &Path,
        only_branch: Option<&str>,
    ) -> Result<(), GitError> {
        let (draft, _folder) = self.draft()?;
        let mut call = Call::write("copy a repository").args([
            "clone",
            "--quiet",
            "--bare",
            "--template=",
            "--no-local",
        ]);
        if let Some(branch) = only_branch {
            call = call.args(["--single-branch", "--branch", branch]);
        }
        let call = call.arg("--").arg(source).arg(".");
        draft.call(call).await?.success()?;
        // A clone brings the source's pull requests along only by their refs.
        let pulls = draft.refs(&["refs/pull"]).await?;
        let deleted: Vec<_> = pulls.iter().map(Ref::deletion).collect();
        draft.update_refs(&deleted).await?;
        self.take_over(&draft)
    }

    /// Whether it was made.
    pub(crate) fn exists(&self) -> bool {
        self.path().exists()
    }

    /// Points `HEAD`, and with it a clone, to a branch.
    pub(crate) async fn set_head(&self, branch: &str) -> Result<(), GitError> {
        let call = Call::write("set the default branch")
            .args(["symbolic-ref", "HEAD"])
            .arg(format!("refs/heads/{branch}"));
        self.call(call).await?.success().map(drop)
    }

    /// Takes it off the disk. Not for one that lies outside the data folder.
    pub(crate) fn remove(&self) -> Result<(), GitError> {
        remove(self.path())
    }

    /// It is made elsewhere and moved to its place when it is whole: what is at
    /// its place is never half of it, and two that make it at a time, such as a
    /// forge that starts and anyone who adds the repository, do not meet.
    fn draft(&self) -> Result<(Self, TempDir), GitError> {
        let made = fs::create_dir_all(&self.scratch)
            .and_then(|()| TempDir::with_prefix_in("repository-", &self.scratch));
        let folder = made.map_err(|source| GitError::File {
            doing: format!("make a folder in {}", self.scratch.display()),
            source,
        })?;
        let draft = Self {
            git: self.git.at(folder.path().to_owned()),
            ..self.clone()
        };
        Ok((draft, folder))
    }

    fn take_over(&self, draft: &Self) -> Result<(), GitError> {
        let moved = || {
            fs::write(draft.path().join("config"), CONFIG)?;
            if let Some(parent) = self.path().parent() {
                fs::create_dir_all(parent)?;
            }
            fs::rename(draft.path(), self.path())
        };
        match moved() {
            // Someone else was quicker.
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
            moved => moved.map_err(|source| GitError::File {
                doing: format!("make {}", self.path().display()),
                source,
            }),
        }
    }
}

fn remove(path: &Path) -> Result<(), GitError> {
    match fs::remove_dir_all(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(GitError::File {
            doing: format!("remove {}", path.display()),
            source,
        }),
        _ => Ok(()),
    }
}
