//! Clones and fetches.

use std::fs;
use std::path::Path;

use super::call::{Call, Subject};
use super::names::{check_remote, check_revision};
use super::{Git, GitError};

impl Git {
    /// An empty repository without a working tree in the given folder; one
    /// that is there is left as it is.
    ///
    /// Of several calls at once, one makes it, and none sees half of it: `git init` would write the
    /// configuration of a repository that is there again, under a lock that the others fail at.
    pub async fn init_bare(&self, folder: &Path) -> Result<(), GitError> {
        let is_there = || folder.join("HEAD").is_file();
        if is_there() {
            return Ok(());
        }
        let doing = format!("make a repository in {}", folder.display());
        let failed = |source| GitError::File {
            doing: doing.clone(),
            source,
        };
        let beside = folder.parent().unwrap_or(folder);
        fs::create_dir_all(beside).map_err(failed)?;
        let draft = tempfile::tempdir_in(beside).map_err(failed)?;
        let call = Call::write(doing.clone())
            .about(Subject::New)
            .args([
                "init",
                "--quiet",
                "--bare",
                "--template=",
                "--end-of-options",
            ])
            .arg(draft.path());
        self.call(call).await?.success()?;
        match fs::rename(draft.path(), folder) {
            // It has moved: there is nothing left to remove.
            Ok(()) => {
                let _ = draft.keep();
                Ok(())
            }
            Err(_) if is_there() => Ok(()),
            Err(source) => Err(failed(source)),
        }
    }

    /// Clones a repository into a folder that is not there yet, which is named
    /// relative to this one.
    pub async fn clone_repository(&self, url: &str, folder: &Path) -> Result<(), GitError> {
        let call = Call::network("clone")
            .about(Subject::New)
            .args(["clone", "--quiet", "--no-recurse-submodules", "--"])
            .arg(check_remote(url)?)
            .arg(folder);
        let reply = self.call(call).await?;
        if reply.code == 0 {
            Ok(())
        } else {
            Err(reply.remote_failed(url))
        }
    }

    /// Fetches refs or commits into the object store and changes nothing else:
    /// no ref, no `FETCH_HEAD`, no tag.
    pub async fn fetch_objects(&self, remote: &str, wanted: &[&str]) -> Result<(), GitError> {
        let mut call = Call::network("fetch")
            .args([
                "fetch",
                "--quiet",
                "--no-progress",
                "--no-tags",
                "--no-write-fetch-head",
            ])
            .args([
                "--no-auto-maintenance",
                "--no-recurse-submodules",
                "--refmap=",
            ])
            .args(["--end-of-options", check_remote(remote)?]);
        for name in wanted {
            call = call.arg(check_revision(name)?);
        }
        let reply = self.call(call).await?;
        if reply.code == 0 {
            Ok(())
        } else {
            Err(reply.remote_failed(remote))
        }
    }

    /// Fetches the given refspecs, or what the remote is configured for.
    pub async fn fetch(&self, remote: &str, refspecs: &[&str]) -> Result<(), GitError> {
        for refspec in refspecs {
            // `+` only ever overwrites our copy of the remote's branches.
            check_remote(refspec)?;
        }
        let call = Call::network("fetch")
            .args([
                "fetch",
                "--quiet",
                "--no-progress",
                "--no-recurse-submodules",
            ])
            .args(["--end-of-options", check_remote(remote)?])
            .args(refspecs);
        let reply = self.call(call).await?;
        if reply.code == 0 {
            Ok(())
        } else {
            Err(reply.remote_failed(remote))
        }
    }
}
