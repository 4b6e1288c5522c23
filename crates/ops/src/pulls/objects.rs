//! The commits that a question is about, on this machine.
//!
//! They are looked for in the checkout that the user is in, when it is one of
//! that repository, and otherwise in a clone of baton's own. What is missing
//! is fetched; no branch, no working tree and no `FETCH_HEAD` changes.

use std::fs;
use std::path::{Path, PathBuf};

use baton_host::cmd::Environment;
use baton_host::git::{Authorization, Call, Git, GitError, Remote, Reply};
use baton_protocol::Repository;
use tokio_util::sync::CancellationToken;

/// Where commits may be found, and how to ask for them.
#[derive(Clone, Debug)]
pub struct Workplace {
    /// The folder that the user is in.
    pub folder: Option<PathBuf>,
    /// For the clones that baton makes; created when needed.
    pub clones: PathBuf,
    /// For git.
    pub environment: Environment,
    /// `https://github.com`: repositories lie below it.
    pub web_url: String,
    /// For the server of `web_url`. Absent: git finds credentials by itself.
    pub authorization: Option<Authorization>,
}

/// A commit that is needed, and a ref under which the server has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NeededCommit {
    pub(super) commit: String,
    pub(super) reference: String,
}

impl NeededCommit {
    pub(super) fn head_of(number: u32, commit: &str) -> Self {
        Self {
            commit: commit.to_owned(),
            reference: format!("refs/pull/{number}/head"),
        }
    }

    pub(super) fn branch(name: &str, commit: &str) -> Self {
        Self {
            commit: commit.to_owned(),
            reference: format!("refs/heads/{name}"),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ObjectsError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("cannot make the folder {} for clones", folder.display())]
    Folder {
        folder: PathBuf,
        source: std::io::Error,
    },
    #[error("{repository} no longer has the commit {commit}")]
    Gone {
        repository: Repository,
        commit: String,
    },
}

/// A repository on this machine that has, or can get, the wanted commits.
#[derive(Clone, Debug)]
pub(super) struct Objects {
    pub(super) git: Git,
    /// What to fetch from.
    remote: String,
    /// What commands call it that the user runs.
    shown_remote: String,
    repository: Repository,
    /// It is the user's own checkout: commands may speak of its branches.
    pub(super) is_checkout: bool,
}

/// A checkout that is none of the wanted repository, or has only a part of its history.
enum OtherCheckout {
    None,
    Knows(String),
    KnowsOthers,
}

/// The branch that is checked out in the user's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ThisBranch {
    /// What it is called where it was pushed to.
    pub(super) branch: String,
    /// The repositories of the remotes, the one that the branch follows first.
    remotes: Vec<Repository>,
}

impl ThisBranch {
    /// Where the branch may have been pushed to, the likeliest first.
    pub(super) fn repositories<'a>(&'a self, repository: &'a Repository) -> Vec<&'a Repository> {
        let mut found: Vec<&Repository> = Vec::new();
        for known in self.remotes.iter().chain([repository]) {
            if !found.contains(&known) {
                found.push(known);
            }
        }
        found
    }

    /// Fault branches to look at for pull requests in `repository`: a fork
    /// belongs to someone else.
    pub(super) fn owners(&self, repository: &Repository) -> Vec<String> {
        let owners = self.remotes.iter().map(Repository::owner);
        let mut found: Vec<String> = Vec::new();
        for owner in owners.chain([repository.owner()]) {
            if !found.iter().any(|known| known.eq_ignore_ascii_case(owner)) {
                found.push(owner.to_owned());
            }
        }
        found
    }
}

impl Workplace {
    /// `None` outside of a checkout, and where no branch is checked out.
    pub(super) async fn this_branch(
        &self,
        cancel: &CancellationToken,
    ) -> Result<Option<ThisBranch>, ObjectsError> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        let git = self.git(folder, cancel).await?;
        let head = match git.head().await {
            Ok(head) => head,
            Err(GitError::NotARepository { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let Some(local) = head.branch() else {
            return Ok(None);
        };
        let branches = git.branches().await?;
        let upstream = branches.iter().find(|branch| branch.name == local);
        let upstream = upstream.and_then(|branch| branch.upstream.as_ref());
        let mut remotes = git.remotes().await?;
        let followed = upstream.and_then(|upstream| {
            let name = upstream.name.strip_prefix("refs/remotes/")?;
            let of = |remote: &Remote| {
                let rest = name.strip_prefix(remote.name.as_str())?;
                rest.strip_prefix('/').map(str::to_owned)
            };
            let place = remotes.iter().position(|remote| of(remote).is_some())?;
            Some((place, of(&remotes[place])?))
        });
        let branch = match followed {
            Some((place, branch)) => {
                remotes.swap(0, place);
                branch
            }
            None => local.to_owned(),
        };
        let of_remote = |remote: &Remote| {
            let urls = remote.fetch_urls.iter();
            urls.filter_map(|url| Repository::from_remote(url.expose()))
                .find(|(host, _)| self.is_host(host))
                .map(|(_, repository)| repository)
        };
        Ok(Some(ThisBranch {
            branch,
            remotes: remotes.iter().filter_map(of_remote).collect(),
        }))
    }

    /// What is on this machine already; nothing is made or fetched.
    pub(super) async fn at_hand(
        &self,
        repository: &Repository,
        cancel: &CancellationToken,
    ) -> Result<Option<Objects>, ObjectsError> {
        if let Some(found) = self.checkout(repository, cancel).await? {
            return Ok(Some(found));
        }
        let folder = self.clone_folder(repository);
        if !folder.is_dir() {
            return Ok(None);
        }
        self.own_clone(repository, &folder, cancel).await.map(Some)
    }

    pub(super) async fn objects(
        &self,
        repository: &Repository,
        cancel: &CancellationToken,
    ) -> Result<Objects, ObjectsError> {
        if let Some(found) = self.checkout(repository, cancel).await? {
            return Ok(found);
        }
        let folder = self.clone_folder(repository);
        fs::create_dir_all(&folder).map_err(|source| ObjectsError::Folder {
            folder: folder.clone(),
            source,
        })?;
        let objects = self.own_clone(repository, &folder, cancel).await?;
        objects.git.init_bare(&folder).await?;
        Ok(objects)
    }

    async fn own_clone(
        &self,
        repository: &Repository,
        folder: &Path,
        cancel: &CancellationToken,
    ) -> Result<Objects, ObjectsError> {
        let remote = format!("{}/{repository}.git", self.web_url);
        let shown_remote = match self.other_checkout(repository, cancel).await? {
            OtherCheckout::None => "origin".to_owned(),
            OtherCheckout::Knows(name) => name,
            OtherCheckout::KnowsOthers => remote.clone(),
        };
        Ok(Objects {
            git: self.ready(Git::open_bare(folder, &self.environment).await?, cancel),
            remote,
            shown_remote,
            repository: repository.clone(),
            is_checkout: false,
        })
    }

    /// What a checkout that the user is in calls the repository, where it is of no use for commits: in
    /// the clone of a fork, `origin` is the fork.
    async fn other_checkout(
        &self,
        repository: &Repository,
        cancel: &CancellationToken,
    ) -> Result<OtherCheckout, ObjectsError> {
        let Some(folder) = &self.folder else {
            return Ok(OtherCheckout::None);
        };
        let remotes = match self.git(folder, cancel).await?.remotes().await {
            Ok(remotes) => remotes,
            Err(GitError::NotARepository { .. }) => return Ok(OtherCheckout::None),
            Err(error) => return Err(error.into()),
        };
        let known = remotes.iter().find(|remote| self.is_of(remote, repository));
        Ok(match known {
            Some(remote) => OtherCheckout::Knows(remote.name.clone()),
            None if remotes.is_empty() => OtherCheckout::None,
            None => OtherCheckout::KnowsOthers,
        })
    }

    /// The user's checkout, if it is one of this repository and has its whole
    /// history.
    async fn checkout(
        &self,
        repository: &Repository,
        cancel: &CancellationToken,
    ) -> Result<Option<Objects>, ObjectsError> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        let git = self.git(folder, cancel).await?;
        // Side by side, and no more than is needed: this stands before every answer.
        let shallow =
            Call::read("look at the repository").args(["rev-parse", "--is-shallow-repository"]);
        let (shallow, remotes) = tokio::join!(git.call(shallow), git.remotes());
        let shallow = match shallow.and_then(Reply::success) {
            Ok(reply) => reply.line() == "true",
            Err(GitError::NotARepository { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if shallow {
            return Ok(None);
        }
        let remotes = remotes?;
        let remote = remotes.iter().find(|remote| self.is_of(remote, repository));
        Ok(remote.map(|remote| Objects {
            git: git.clone(),
            remote: remote.name.clone(),
            shown_remote: remote.name.clone(),
            repository: repository.clone(),
            is_checkout: true,
        }))
    }

    fn is_host(&self, host: &str) -> bool {
        let ours = self.web_url.split_once("://").map(|(_, host)| host);
        ours.is_some_and(|ours| ours.eq_ignore_ascii_case(host))
    }

    fn is_of(&self, remote: &Remote, repository: &Repository) -> bool {
        remote.fetch_urls.iter().any(|url| {
            Repository::from_remote(url.expose()).is_some_and(|(its_host, its)| {
                self.is_host(&its_host)
                    && its
                        .to_string()
                        .eq_ignore_ascii_case(&repository.to_string())
            })
        })
    }

    fn clone_folder(&self, repository: &Repository) -> PathBuf {
        let host = self.web_url.split("://").last().unwrap_or_default();
        // A port's colon means something else in some paths.
        let host = host.replace([':', '/'], "_");
        self.clones
            .join(host)
            .join(repository.owner())
            .join(format!("{}.git", repository.name()))
    }

    async fn git(&self, folder: &Path, cancel: &CancellationToken) -> Result<Git, GitError> {
        let git = Git::open(folder, &self.environment).await?;
        Ok(self.ready(git, cancel))
    }

    fn ready(&self, git: Git, cancel: &CancellationToken) -> Git {
        git.with_login(self.authorization.clone())
            .with_cancellation(cancel.clone())
    }
}

impl Objects {
    /// What commands that run in a checkout call the remote.
    pub(super) fn remote_name(&self) -> &str {
        &self.shown_remote
    }

    /// Where branches of a repository are pushed to. The remote of a checkout
    /// is called by its name, so that git moves its copies of them too.
    pub(super) fn push_remote(&self, repository: &Repository, web_url: &str) -> String {
        let is_own = repository
            .to_string()
            .eq_ignore_ascii_case(&self.repository.to_string());
        if is_own {
            self.remote.clone()
        } else {
            format!("{web_url}/{repository}.git")
        }
    }

    /// Makes sure that the commits are here.
    pub(super) async fn have(&self, wanted: &[NeededCommit]) -> Result<(), ObjectsError> {
        let missing = self.missing(wanted).await?;
        if missing.is_empty() {
            return Ok(());
        }
        let mut references: Vec<_> = missing.iter().map(|want| want.reference.as_str()).collect();
        references.sort_unstable();
        references.dedup();
        // A branch may be gone or may have moved while its commit is there still.
        let by_name = self.fetch(&references).await;
        let missing = self.missing(wanted).await?;
        if missing.is_empty() {
            return Ok(());
        }
        let commits: Vec<_> = missing.iter().map(|want| want.commit.as_str()).collect();
        let by_id = self.fetch(&commits).await;
        match self.missing(wanted).await?.first() {
            None => Ok(()),
            Some(want) => {
                by_name?;
                match by_id {
                    // The server speaks to us and does not have it.
                    Ok(()) | Err(GitError::Remote { .. }) => Err(ObjectsError::Gone {
                        repository: self.repository.clone(),
                        commit: want.commit.clone(),
                    }),
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    async fn missing<'a>(
        &self,
        wanted: &'a [NeededCommit],
    ) -> Result<Vec<&'a NeededCommit>, GitError> {
        let mut missing = Vec::new();
        for want in wanted {
            if self.git.find_commit(&want.commit).await?.is_none() {
                missing.push(want);
            }
        }
        Ok(missing)
    }

    async fn fetch(&self, wanted: &[&str]) -> Result<(), GitError> {
        self.git.fetch_objects(&self.remote, wanted).await
    }
}
