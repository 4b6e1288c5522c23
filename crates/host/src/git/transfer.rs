use std::fmt;
use std::path::Path;

use super::call::Call;
use super::names::{check_remote, check_revision};
use super::{Git, GitError};

/// Where commits are fetched from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The name or URL of a remote.
    pub remote: &'a str,
    /// Absent: git finds credentials as it always does.
    pub authorization: Option<&'a Authorization>,
}

/// What git says to one server about who it is.
#[derive(Clone)]
pub struct Authorization {
    /// `https://github.example.com/`: the header goes nowhere else.
    pub origin: String,
    /// What stands behind `Authorization:`.
    pub value: String,
}

/// Prints no secret.
impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Authorization({}, ***)", self.origin)
    }
}

impl Git {
    /// An empty repository without a working tree in the given folder; one
    /// that is there is left as it is.
    pub async fn init_bare(&self, folder: &Path) -> Result<(), GitError> {
        let call = Call::write(format!("make a repository in {}", folder.display()))
            .args(["init", "--quiet", "--bare", "--end-of-options"])
            .arg(folder);
        self.call(call).await?.success().map(drop)
    }

    /// Fetches refs or commits into the object store and changes nothing else:
    /// no ref, no `FETCH_HEAD`, no tag.
    pub async fn fetch_objects(&self, source: Source<'_>, wanted: &[&str]) -> Result<(), GitError> {
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
            .args(["--end-of-options", check_remote(source.remote)?]);
        for name in wanted {
            call = call.arg(check_revision(name)?);
        }
        if let Some(Authorization { origin, value }) = source.authorization {
            call = call.secret_setting(
                format!("http.{origin}.extraHeader"),
                format!("Authorization: {value}"),
            );
        }
        let reply = self.call(call).await?;
        if reply.code == 0 {
            Ok(())
        } else {
            Err(reply.remote_failed(source.remote))
        }
    }

    /// Fetches the given refspecs, or what the remote is configured for.
    pub async fn fetch(&self, remote: &str, refspecs: &[&str]) -> Result<(), GitError> {
        for refspec in refspecs {
            // `+` only ever overwrites our copy of the remote's branches.
            check_remote(refspec)?;
        }
        let call = Call::network("fetch")
            .args(["fetch", "--quiet", "--no-progress", "--end-of-options"])
            .arg(check_remote(remote)?)
            .args(refspecs);
        let reply = self.call(call).await?;
        if reply.code == 0 {
            Ok(())
        } else {
            Err(reply.remote_failed(remote))
        }
    }
}
