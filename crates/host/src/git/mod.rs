//! git, as a child process: the user's own credentials and configuration work
//! as they do on the command line, and a repository's do not.
//!
//! [`harden`] decides how git is called.
//! [`Git`] asks; the functions in [`parse`] read the answers. Each topic has a
//! file for the first and one for the second.

mod blame;
mod borrow;
mod branches;
mod call;
mod changes;
mod diff;
mod discover;
mod error;
mod files;
mod harden;
mod local_config;
mod log;
mod login;
mod merge_tree;
mod names;
pub mod parse;
mod patch_id;
mod push;
mod range_diff;
mod remotes;
mod replay;
mod repository;
mod revisions;
mod shadow;
mod snapshot;
mod submodules;
mod transfer;
mod version;
mod working_tree;
mod worktrees;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::cmd::Environment;

use harden::Trust;
use shadow::Shadow;

pub use baton_protocol::Oid;
pub use baton_protocol::diff::{ChangeKind, DiffLine, DiffLineKind, FileDiff, Hunk};
pub use borrow::{Borrower, is_real_folder, planted, remove_all};
pub use call::{Call, Reply};
pub use error::{GitError, RemoteErrorKind};
pub use log::LogRange;
pub use login::Authorization;
pub use merge_tree::MergeTree;
pub use parse::{
    Ahead, BlamedLines, Branch, ChangedFile, CommitPair, ConflictedFile, LogEntry, MergeMessage,
    MergeMessageKind, PairStatus, PatchId, RemoteBranch, Signature, Upstream, Version, Worktree,
    WorktreeHead,
};
pub use push::{AtomicPushOutcome, BranchPush, Lease, Push, PushOutcome, Rejection};
pub use remotes::{Remote, RemoteUrl};
pub use replay::{NewCommit, RefMove, Replay, ReplayedCommit};
pub use repository::{Head, RepositoryFacts};
pub use snapshot::TreeSnapshot;
pub use submodules::Submodule;
pub use worktrees::Checkout;

/// How long git may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GitLimits {
    /// For calls that only touch this machine.
    pub local: Duration,
    /// For calls that talk to a remote.
    pub network: Duration,
}

/// Two minutes are enough for a status of the largest repositories on a cold
/// disk, ten for a first fetch over a slow line; what takes longer hangs.
impl Default for GitLimits {
    fn default() -> Self {
        Self {
            local: Duration::from_mins(2),
            network: Duration::from_mins(10),
        }
    }
}

/// git in one folder. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Git {
    cwd: PathBuf,
    environment: Environment,
    limits: GitLimits,
    cancel: CancellationToken,
    version: Version,
    /// Whether the user's own configuration sets how to run ssh.
    has_ssh_command: Arc<OnceCell<bool>>,
    trust: Trust,
    /// The repository of a working tree that is not the one inside it.
    separate: Option<Arc<Path>>,
    /// Made for the first call about the repository.
    shadow: Arc<OnceCell<Shadow>>,
    login: Option<Authorization>,
}

impl Git {
    /// git in the given folder, which need not be a repository. Checks that git
    /// is there and new enough.
    ///
    /// Nothing that the repository brings along is run: no hook, and no program
    /// that its configuration names. A folder that looks like a bare repository
    /// is not taken for one.
    pub async fn open(
        cwd: impl Into<PathBuf>,
        environment: &Environment,
    ) -> Result<Self, GitError> {
        Self::open_with(cwd.into(), environment, Trust::User).await
    }

    /// The same for a bare repository, which is the folder itself.
    pub async fn open_bare(
        folder: impl Into<PathBuf>,
        environment: &Environment,
    ) -> Result<Self, GitError> {
        Self::open_with(folder.into(), environment, Trust::UserInBare).await
    }

    /// git with the hooks and the whole configuration of the repository, as on
    /// the command line: for what users ask for in their own checkouts, and for
    /// repositories that only baton can write to.
    pub async fn open_trusting(
        cwd: impl Into<PathBuf>,
        environment: &Environment,
    ) -> Result<Self, GitError> {
        Self::open_with(cwd.into(), environment, Trust::Repository).await
    }

    async fn open_with(
        cwd: PathBuf,
        environment: &Environment,
        trust: Trust,
    ) -> Result<Self, GitError> {
        let mut git = Self {
            cwd,
            // git itself is trusted, and works where sandboxed programs may not look.
            environment: environment.without_sandbox(),
            limits: GitLimits::default(),
            cancel: CancellationToken::new(),
            version: Version::default(),
            has_ssh_command: Arc::default(),
            trust,
            separate: None,
            shadow: Arc::default(),
            login: None,
        };
        git.version = git.supported_version().await?;
        Ok(git)
    }

    #[must_use]
    pub fn with_limits(mut self, limits: GitLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Calls end with [`GitError::Cancelled`] when the token is cancelled.
    #[must_use]
    pub fn with_cancellation(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// The same git in another folder, such as a worktree.
    #[must_use]
    pub fn at(&self, cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            trust: match self.trust {
                Trust::User | Trust::UserInBare | Trust::UserInSeparate => Trust::User,
                Trust::Repository => Trust::Repository,
            },
            shadow: Arc::default(),
            // The configuration of another repository may differ.
            has_ssh_command: Arc::default(),
            ..self.clone()
        }
    }

    /// The same git in a bare repository, which is the folder itself.
    #[must_use]
    pub fn at_bare(&self, folder: impl Into<PathBuf>) -> Self {
        let mut git = self.at(folder);
        if git.trust == Trust::User {
            git.trust = Trust::UserInBare;
        }
        git
    }

    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    pub fn version(&self) -> &Version {
        &self.version
    }
}
