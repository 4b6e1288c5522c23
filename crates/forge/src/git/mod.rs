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
mod fingerprint;
mod init;
mod merges;
pub(crate) mod names;
mod objects;
pub(crate) mod patch;
mod refs;
mod tags;
mod trees;

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_host::cmd::Environment;
use baton_host::git::{Call, Git, GitError, Oid, Reply};

use crate::store::repositories::Repository;

pub(crate) use commits::{Commit, CommitCache, HistoryRange, Person};
pub(crate) use compare::Distance;
pub(crate) use diffs::{FileDiff, FileStatus};
pub(crate) use objects::NewCommit;
pub(crate) use refs::{Ref, RefChange};
pub(crate) use tags::Tag;
pub(crate) use trees::{EntryKind, TreeEntry};

/// All repositories of a forge.
pub(crate) struct Repositories {
    git: Git,
    folder: PathBuf,
    scratch: Arc<Path>,
    commits: Arc<CommitCache>,
}

impl Repositories {
    pub(crate) async fn open(data: &Path, environment: &Environment) -> Result<Self, GitError> {
        let mut environment = environment.clone();
        // What the forge answers must not depend on the settings of the user
        // who started it; and the user who added a folder trusts it.
        environment.set("GIT_CONFIG_NOSYSTEM", "1");
        environment.set("GIT_CONFIG_GLOBAL", "/dev/null");
        environment.set("GIT_CONFIG_COUNT", "1");
        environment.set("GIT_CONFIG_KEY_0", "safe.directory");
        environment.set("GIT_CONFIG_VALUE_0", "*");
        Ok(Self {
            // Only the forge writes to its own repositories, and its git starts
            // where no configuration of a user's acts.
            git: Git::open_trusting(data, &environment).await?,
            folder: data.join("repositories"),
            scratch: data.join("scratch").into(),
            commits: Arc::default(),
        })
    }

    /// Where files lie that are of no use once the forge has ended.
    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Throws away what a forge that was killed left there. Only for the forge
    /// that serves the folder.
    pub(crate) fn empty_scratch(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.scratch) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs::create_dir_all(&self.scratch),
        }
    }

    pub(crate) fn repository(&self, repository: &Repository) -> GitRepository {
        let path = match &repository.path {
            Some(path) => PathBuf::from(path),
            None => self.folder.join(format!("{}.git", repository.id)),
        };
        GitRepository {
            id: repository.id,
            git: self.git.at(path),
            scratch: Arc::clone(&self.scratch),
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
    scratch: Arc<Path>,
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
        let found = self.look_up(&candidates(name), "").await?;
        Ok(found.map(|(oid, _)| oid))
    }

    /// The commit that a name stands for; see [`resolve`](Self::resolve).
    pub(crate) async fn resolve_commit(&self, name: &str) -> Result<Option<Oid>, GitError> {
        if !names::is_plain_revision(name) {
            return Ok(None);
        }
        let found = self.look_up(&candidates(name), "").await?;
        Ok(found
            .filter(|(_, kind)| kind == "commit")
            .map(|(oid, _)| oid))
    }

    /// Object and kind of the first name that there is, all in one call. What
    /// a tag is about is looked for, or what `peel` says.
    async fn look_up(
        &self,
        names: &[String],
        peel: &str,
    ) -> Result<Option<(Oid, String)>, GitError> {
        let mut input = String::new();
        for name in names {
            // Writing to a string cannot fail.
            let _ = writeln!(input, "{name}^{{{peel}}}");
        }
        let call = Call::read("resolve a name")
            .args(["cat-file", "--batch-check=%(objectname) %(objecttype)"])
            .stdin(input.into_bytes());
        let reply = self.call(call).await?.success()?;
        let text = String::from_utf8_lossy(&reply.stdout).into_owned();
        Ok(text.lines().find_map(|line| {
            // Of what there is not: `NAME missing`.
            let (oid, kind) = line.split_once(' ')?;
            Some((Oid::parse(oid)?, kind.to_owned())).filter(|(_, kind)| kind != "missing")
        }))
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

/// What a name may mean, in the order in which git and GitHub try it.
fn candidates(name: &str) -> Vec<String> {
    if name.starts_with("refs/") || name == "HEAD" || Oid::parse(name).is_some() {
        return vec![name.to_owned()];
    }
    vec![
        format!("refs/heads/{name}"),
        format!("refs/tags/{name}"),
        format!("refs/{name}"),
        name.to_owned(),
    ]
}
