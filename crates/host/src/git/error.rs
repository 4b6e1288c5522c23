//! Errors of git calls.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::cmd::{CmdError, Outcome};

use super::Version;

/// What went wrong with a call of git. `doing` completes "cannot …".
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("cannot {doing}: git did not start")]
    Start {
        doing: String,
        #[source]
        source: CmdError,
    },
    #[error(
        "cannot {doing}: git {outcome}{}{}",
        next_step(stderr),
        git_message(stderr)
    )]
    Failed {
        doing: String,
        outcome: Outcome,
        stderr: String,
    },
    #[error(
        "cannot {doing}: git was ended after {limit:?}; check the network and locks of the repository, then try again{}",
        git_message(stderr)
    )]
    TimedOut {
        doing: String,
        limit: Duration,
        stderr: String,
    },
    #[error("cannot {doing}: cancelled")]
    Cancelled { doing: String },
    #[error("{} is not in a git repository; run `git init` there or choose another folder", path.display())]
    NotARepository { path: PathBuf },
    #[error("the repository cannot be used because of {}: {problem}; repair it, or make a new clone", path.display())]
    Unusable { path: PathBuf, problem: String },
    #[error("cannot {doing} with the remote {remote}: {kind}; {}{}", kind.next_step(), git_message(stderr))]
    Remote {
        doing: String,
        remote: String,
        kind: RemoteErrorKind,
        stderr: String,
    },
    #[error("git {found} is too old: version {minimum} or newer is needed")]
    TooOld { found: Version, minimum: Version },
    #[error("`{name}` is not a usable {what}: {problem}")]
    BadName {
        what: &'static str,
        name: String,
        problem: &'static str,
    },
    #[error("there is no {what} `{name}` in this repository; fetch first or check the name")]
    NoSuch { what: &'static str, name: String },
    #[error("cannot {doing}: git's answer is larger than {limit} bytes")]
    TooLarge { doing: String, limit: usize },
    #[error("cannot {doing}: git's answer was not understood: {answer}")]
    Unreadable { doing: String, answer: String },
    #[error("cannot {doing}")]
    File {
        doing: String,
        #[source]
        source: std::io::Error,
    },
}

/// Why a remote could not be used. Only some of these may pass by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteErrorKind {
    /// No such remote, repository or ref; hosts also say so to those who may
    /// not see it.
    NotFound,
    /// The host does not accept who we are.
    Authentication,
    /// The host knows us and refuses.
    Permission,
    /// The host's key is unknown or has changed.
    HostKey,
    /// The host could not be reached, or the line broke.
    Network,
    /// The host answered that it has a problem.
    Server,
    Other,
}

impl RemoteErrorKind {
    /// Whether the same call may succeed later with nothing changed.
    pub fn is_transient(self) -> bool {
        match self {
            Self::Network | Self::Server => true,
            Self::NotFound
            | Self::Authentication
            | Self::Permission
            | Self::HostKey
            | Self::Other => false,
        }
    }

    fn next_step(self) -> &'static str {
        match self {
            Self::NotFound => "check its URL with `git remote -v`, and that you may see it",
            Self::Authentication => {
                "log in once by hand (`git fetch` in a terminal), so that git can store the credentials"
            }
            Self::Permission => "ask for write access, or push to a fork",
            Self::HostKey => "connect once by hand with ssh and check the host's key",
            Self::Network => "check the connection and try again",
            Self::Server => "try again later",
            Self::Other => "run the same command by hand to see more",
        }
    }
}

impl fmt::Display for RemoteErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "it does not exist or is not visible",
            Self::Authentication => "it does not accept the credentials",
            Self::Permission => "it does not permit this",
            Self::HostKey => "its host key is not trusted",
            Self::Network => "it cannot be reached",
            Self::Server => "it has a problem of its own",
            Self::Other => "git failed",
        })
    }
}

/// git's own message, if there is one.
fn git_message(stderr: &str) -> String {
    match stderr.trim() {
        "" => String::new(),
        text => format!("\ngit said: {text}"),
    }
}

/// For the failures that a user can do something about at once.
fn next_step(stderr: &str) -> &'static str {
    let steps = [
        (
            "detected dubious ownership",
            "; run `git config --global --add safe.directory <folder>` if you trust it",
        ),
        (
            "index.lock",
            "; wait for the other git process, or remove the lock if there is none",
        ),
        ("No space left on device", "; free some space and try again"),
        (
            "is already checked out at",
            "; use the worktree that has the branch, or another branch",
        ),
        (
            "is already used by worktree",
            "; use the worktree that has the branch, or another branch",
        ),
        (
            "contains modified or untracked files",
            "; commit or remove its changes first",
        ),
    ];
    steps
        .iter()
        .find(|(sign, _)| stderr.contains(sign))
        .map_or("", |(_, step)| step)
}
