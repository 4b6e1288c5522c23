//! The git repositories: where they lie, and what the API needs to know of
//! them.
//!
//! A repository of the forge's own is bare and lies in the data folder under
//! its number, so that a rename moves nothing. One that was added by its path
//! stays where it is.
//!
//! Names and ids from outside are checked before they become arguments:
//! [`names`] has the rules.

mod commits;
mod compare;
mod diffs;
mod edit_tree;
mod fingerprint;
mod init;
mod merges;
pub(crate) mod names;
mod objects;
pub(crate) mod patch;
mod refs;
mod tags;
mod trees;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_host::cmd::Environment;
use baton_host::git::{Call, Git, GitError, Oid, Reply};

use crate::store::repositories::Repository;

pub(crate) use commits::{Commit, CommitCache, HistoryRange, Person};
pub(crate) use compare::Distance;
pub(crate) use diffs::{FileDiff, FileStatus};
pub(crate) use edit_tree::TreeChange;
pub(crate) use objects::{NewCommit, NewEntry};
pub(crate) use refs::{Ref, RefChange};
pub(crate) use tags::Tag;
pub(crate) use trees::{EntryKind, TreeEntry};

/// All repositories of a forge.
pub(crate) struct Repositories {
    git: Git,
    folder: PathBuf,
    commits: Arc<CommitCache>,
}

impl Repositories {
    pub(crate) async fn open(data: &Path, environment: &Environment) -> Result<Self, GitError> {
        let mut environment = environment.clone();
        // What the forge answers must not depend on the settings of whoever
        // started it; and whoever added a folder trusts it.
        environment.set("GIT_CONFIG_NOSYSTEM", "1");
        environment.set("GIT_CONFIG_GLOBAL", "/dev/null");
        environment.set("GIT_CONFIG_COUNT", "1");
        environment.set("GIT_CONFIG_KEY_0", "safe.directory");
        environment.set("GIT_CONFIG_VALUE_0", "*");
        Ok(Self {
            git: Git::open(data, &environment).await?,
            folder: data.join("repositories"),
            commits: Arc::default(),
        })
    }

    pub(crate) fn of(&self, repository: &Repository) -> GitRepository {
        let path = match &repository.path {
            Some(path) => PathBuf::from(path),
            None => self.folder.join(format!("{}.git", repository.id)),
        };
        GitRepository {
            id: repository.id,
            git: self.git.at(path),
            quarantine: None,
            commits: Arc::clone(&self.commits),
        }
    }
}

/// One repository. Cloning is cheap.
#[derive(Clone)]
pub(crate) struct GitRepository {
    id: i64,
    git: Git,
    quarantine: Option<PathBuf>,
    commits: Arc<CommitCache>,
}

impl GitRepository {
    pub(crate) fn path(&self) -> &Path {
        self.git.cwd()
    }

    /// For what `baton_host` already asks git, such as `merge_tree`. It does
    /// not see a quarantine.
    pub(crate) fn host(&self) -> &Git {
        &self.git
    }

    /// The object that a name stands for: a full or short id, a branch, a tag,
    /// or a full ref name. Absent where there is none, also where the name is
    /// none that git would accept.
    pub(crate) async fn resolve(&self, name: &str) -> Result<Option<Oid>, GitError> {
        if !names::is_plain_revision(name) {
            return Ok(None);
        }
        let candidates = if name.starts_with("refs/") {
            vec![name.to_owned()]
        } else if name == "HEAD" || Oid::parse(name).is_some() {
            vec![name.to_owned()]
        } else {
            vec![
                format!("refs/heads/{name}"),
                format!("refs/tags/{name}"),
                format!("refs/{name}"),
                name.to_owned(),
            ]
        };
        for candidate in candidates {
            let call = Call::read("resolve a name")
                .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
                .arg(format!("{candidate}^{{}}"));
            let reply = self.call(call).await?;
            if reply.code == 0 {
                return Ok(Oid::parse(&reply.line()));
            }
        }
        Ok(None)
    }

    /// The commit that a name stands for; see [`resolve`](Self::resolve).
    pub(crate) async fn resolve_commit(&self, name: &str) -> Result<Option<Oid>, GitError> {
        match self.resolve(name).await? {
            Some(oid) => {
                let is_commit = self.kind(&oid).await?.as_deref() == Some("commit");
                Ok(is_commit.then_some(oid))
            }
            None => Ok(None),
        }
    }

    /// The same repository with the objects of a push that is not accepted yet.
    pub(crate) fn with_quarantine(&self, objects: PathBuf) -> Self {
        Self {
            quarantine: Some(objects),
            // An id of a push that is refused must not be known afterwards.
            commits: Arc::default(),
            ..self.clone()
        }
    }

    async fn call(&self, call: Call) -> Result<Reply, GitError> {
        let call = match &self.quarantine {
            Some(objects) => call.env("GIT_OBJECT_DIRECTORY", objects).env(
                "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                self.path().join("objects"),
            ),
            None => call,
        };
        self.git.call(call).await
    }
}
