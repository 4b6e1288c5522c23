use std::fmt;
use std::path::Path;

use super::call::Call;
use super::names::{check_remote, check_revision};
use super::{Git, GitError};
use crate::cmd::Environment;

/// Where commits are fetched from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The name or URL of a remote.
    pub remote: &'a str,
    /// Absent: git finds credentials as it always does.
    pub authorization: Option<&'a Authorization>,
}

impl Source<'_> {
    /// Adds what the server has to be told.
    pub(super) fn authorize(&self, call: Call) -> Call {
        match self.authorization {
            Some(Authorization { origin, value }) => call.secret_setting(
                format!("http.{origin}.extraHeader"),
                format!("Authorization: {value}"),
            ),
            None => call,
        }
    }
}

/// What git says to one server about who it is.
#[derive(Clone)]
pub struct Authorization {
    /// `https://github.example.com/`: the header goes nowhere else.
    pub origin: String,
    /// What stands behind `Authorization:`.
    pub value: String,
}

impl Authorization {
    /// An environment in which git says so by itself, for whoever runs it many
    /// times. Not for programs that are no business of the server's.
    #[must_use]
    pub fn added_to(&self, environment: &Environment) -> Environment {
        const COUNT: &str = "GIT_CONFIG_COUNT";
        let mut environment = environment.clone();
        let theirs = environment.get(COUNT).and_then(|count| count.to_str());
        let index: usize = theirs.and_then(|count| count.parse().ok()).unwrap_or(0);
        environment.set(
            format!("GIT_CONFIG_KEY_{index}"),
            format!("http.{}.extraHeader", self.origin),
        );
        environment.set(
            format!("GIT_CONFIG_VALUE_{index}"),
            format!("Authorization: {}", self.value),
        );
        environment.set(COUNT, (index + 1).to_string());
        environment
    }
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
        let reply = self.call(source.authorize(call)).await?;
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
