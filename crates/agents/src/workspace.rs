//! The place that a run works in, found again from the handoff that names it.
//!
//! The handoff is a claim: that the folder is a worktree of the checkout, has
//! the branch checked out and goes back to the commit it began with is looked
//! at, and a claim that does not hold is rejected.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_host::git::{Git, GitError, Oid, Push, PushOutcome, Rejection};
use baton_protocol::Repository;
use baton_protocol::handoff::WorkspaceType;
use baton_protocol::handoff::xml::{Element, Node};

use crate::claim::{self, Claim};
use crate::handoffs;
use crate::repository::{self, Copy};
use crate::step_error::StepError;
use crate::{AgentStep, Place};

/// Elements of the handoff that the protocol has no name for.
pub(crate) const BASE_BRANCH: &str = "base_branch";
pub(crate) const BASE_COMMIT: &str = "base_commit";
/// Where the branch of a pull request that someone else opened is pushed to.
pub(crate) const PUSH_REMOTE: &str = "push_remote";

#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
    pub(crate) kind: WorkspaceType,
    pub(crate) port: Option<u16>,
    /// The branch that the work is to be merged into.
    pub(crate) base: String,
    /// The commit of the base that the work began with.
    pub(crate) begun: Oid,
    /// The remote of the repository.
    pub(crate) remote: String,
    /// The remote that the branch is pushed to: another one for a fork.
    push_remote: String,
    /// git in the workspace, ended with the step.
    pub(crate) git: Git,
    /// Its repository is the run's own.
    is_own: bool,
}

impl Workspace {
    pub(crate) async fn open(step: &AgentStep<'_>) -> Result<Self, StepError> {
        let claim = handoffs::workspace(step)?;
        let missing = |what: &str| StepError::rejected(format!("the workspace has no {what}"));
        let base = text_of(&claim.other, BASE_BRANCH).ok_or_else(|| missing("base branch"))?;
        let begun = text_of(&claim.other, BASE_COMMIT)
            .as_deref()
            .and_then(Oid::parse)
            .ok_or_else(|| missing("base commit"))?;
        let path = PathBuf::from(claim.workspace_path.as_str());
        let kind = claim.workspace_type.word();
        let branch = claim.branch.as_str().to_owned();
        let checkout = git(step).await?;
        let remote = remote_of(step.place, &checkout).await?;
        check_owner(step, &branch, &path)?;
        // A run of an older baton has a worktree of the checkout instead.
        let is_own = kind == Some(WorkspaceType::Worktree) && repository::exists(step);
        if !is_own && !is_ours(&path, &checkout).await? {
            return Err(StepError::rejected(format!(
                "{} is not a worktree of {}",
                path.display(),
                step.place.checkout.display()
            )));
        }
        let workspace = Self {
            is_own,
            git: if is_own {
                repository::open(step, &path).await?
            } else {
                git_in(step.place, &path, step).await?
            },
            push_remote: match text_of(&claim.other, PUSH_REMOTE) {
                Some(remote) => remote,
                None => push_remote(&checkout, &branch, &remote).await?,
            },
            remote,
            branch,
            kind: kind.ok_or_else(|| missing("type"))?,
            port: claim.port.map(Into::into),
            path,
            base,
            begun,
        };
        workspace.check().await?;
        Ok(workspace)
    }

    /// The repository that coding agents and project commands see; none where
    /// they work in the user's own checkout.
    pub(crate) fn copy(&self, step: &AgentStep<'_>) -> Option<Copy<'_>> {
        let private = claim::private_folder(&step.place.checkout, step.call.run());
        self.is_own.then_some(Copy {
            git: &self.git,
            private,
            worktree: &self.path,
            branch: &self.branch,
        })
    }

    /// Makes what programs see in the worktree what is committed now.
    pub(crate) async fn renew_copy(&self, step: &AgentStep<'_>) -> Result<(), StepError> {
        match self.copy(step) {
            Some(copy) => copy.renew().await,
            None => Ok(()),
        }
    }

    /// Takes over what a coding agent has committed, and says what else it did
    /// to its repository.
    pub(crate) async fn take_commits(&self, step: &AgentStep<'_>) -> Result<(), StepError> {
        let Some(copy) = self.copy(step) else {
            return Ok(());
        };
        let noticed = copy.take_commits(&self.begun).await;
        copy.renew().await?;
        for text in noticed? {
            step.context.notice(&format!("the coding agent {text}"));
        }
        Ok(())
    }

    async fn check(&self) -> Result<(), StepError> {
        let path = self.path.display();
        let reject = |what: String| Err(StepError::rejected(what));
        let head = self.git.head().await?;
        if head.branch() != Some(self.branch.as_str()) {
            return reject(format!("{path} does not have {} checked out", self.branch));
        }
        let begun = self.git.find_commit(self.begun.as_str()).await?;
        let goes_back = match &begun {
            Some(begun) => self.git.is_ancestor(begun.as_str(), "HEAD").await?,
            None => false,
        };
        if !goes_back {
            return reject(format!(
                "{} does not go back to {}, where it is said to begin",
                self.branch, self.begun
            ));
        }
        Ok(())
    }

    pub(crate) async fn head(&self) -> Result<Oid, GitError> {
        self.git.commit("HEAD").await
    }

    /// Where the base is now, its commits fetched. No ref is changed.
    pub(crate) async fn base_tip(&self, place: &Place) -> Result<Oid, StepError> {
        fetch_tip(place, &self.git, &self.remote, &self.base).await
    }

    /// Where the branch left the base, whatever of the base was merged into it
    /// meanwhile: what lies behind it is the work of the run.
    pub(crate) async fn fork_point(&self, place: &Place) -> Result<Oid, StepError> {
        let tip = self.base_tip(place).await?;
        let fork = self.git.merge_base(tip.as_str(), "HEAD").await?;
        Ok(fork.unwrap_or_else(|| self.begun.clone()))
    }

    /// Pushes what is committed. History is never replaced: someone else's
    /// commits on the branch are a reason to stop.
    pub(crate) async fn push(&self) -> Result<Oid, StepError> {
        let push = Push {
            remote: &self.push_remote,
            source: "HEAD",
            branch: &self.branch,
            lease: None,
        };
        match self.git.push(push).await? {
            PushOutcome::Pushed { commit, .. } | PushOutcome::UpToDate { commit } => Ok(commit),
            PushOutcome::Rejected { reason, message } => {
                Err(refused(&self.branch, reason, &message))
            }
        }
    }
}

/// What another run holds, or the user works in, is not the run's.
fn check_owner(step: &AgentStep<'_>, branch: &str, path: &Path) -> Result<(), StepError> {
    let run = step.call.run();
    let claims = claim::claims_of(&step.place.checkout);
    let others = Claim::load_others(&claims, run);
    if let Some((other, _)) = others.iter().find(|(_, claim)| claim.branch == branch) {
        return Err(StepError::rejected(format!(
            "{branch} belongs to the run {other}"
        )));
    }
    let Some(claim) = Claim::load(&claims, run) else {
        return Ok(());
    };
    let real = |path: &Path| path.canonicalize().ok();
    let held = claim.path(&step.place.checkout);
    if claim.branch != branch || real(&held) != real(path) {
        return Err(StepError::rejected(format!(
            "{} with {branch} was handed over, and the run holds {} with {}",
            path.display(),
            held.display(),
            claim.branch
        )));
    }
    Ok(())
}

fn refused(branch: &str, reason: Rejection, said: &str) -> StepError {
    let what = match reason {
        Rejection::NonFastForward | Rejection::StaleLease => {
            "someone else has pushed to it; look at the branch, then merge or remove their commits"
        }
        Rejection::HookDeclined => "a hook declined it; do what the hook asks for",
        Rejection::Protected => "a rule of the host protects it; let the account push there",
        Rejection::Permission => "the account may not push; ask for write access",
        Rejection::TooLarge => "something in it is too large; take the file out of the commits",
        Rejection::Other => "the host refused it",
    };
    StepError::blocked(format!("cannot push {branch}: {what}\ngit said: {said}"))
}

/// git in the checkout, ended with the step.
pub(crate) async fn git(step: &AgentStep<'_>) -> Result<Git, GitError> {
    git_in(step.place, &step.place.checkout, step).await
}

async fn git_in(place: &Place, folder: &Path, step: &AgentStep<'_>) -> Result<Git, GitError> {
    let git = Git::open(folder, &place.git_environment).await?;
    Ok(git
        .with_login(place.workplace.authorization.clone())
        .with_cancellation(step.context.cancel.clone()))
}

/// Whether the folder is the checkout itself or one of its worktrees.
async fn is_ours(path: &Path, checkout: &Git) -> Result<bool, GitError> {
    let real = |path: &Path| path.canonicalize().ok();
    let Some(path) = real(path) else {
        return Ok(false);
    };
    let worktrees = checkout.worktrees().await?;
    Ok(worktrees
        .iter()
        .any(|worktree| real(&worktree.path).is_some_and(|known| known == path)))
}

/// The remote that is the repository of the run.
pub(crate) async fn remote_of(place: &Place, git: &Git) -> Result<String, StepError> {
    remote_for(place, git, &place.repository).await
}

/// The remote that is a repository: the run's, or a fork of it.
pub(crate) async fn remote_for(
    place: &Place,
    git: &Git,
    wanted: &Repository,
) -> Result<String, StepError> {
    let remotes = git.remotes().await?;
    let is_it = |url: &str| {
        Repository::from_remote(url).is_some_and(|(_, repository)| {
            let (one, other) = (repository.to_string(), wanted.to_string());
            one.eq_ignore_ascii_case(&other)
        })
    };
    let found = remotes.iter().find(|remote| {
        let urls = remote.fetch_urls.iter().chain(&remote.push_urls);
        urls.into_iter().any(|url| is_it(url.expose()))
    });
    found.map(|remote| remote.name.clone()).ok_or_else(|| {
        StepError::blocked(format!(
            "no remote of {} is {wanted}; add one with `git remote add`",
            place.checkout.display(),
        ))
    })
}

/// Where the pull-request phase pushes a branch, so that later commits follow.
async fn push_remote(git: &Git, branch: &str, remote: &str) -> Result<String, GitError> {
    let known = git.remotes().await?;
    let is_known = |name: &str| known.iter().any(|remote| remote.name == name);
    let configured = git.push_remote(branch).await?;
    let usual = is_known("origin").then(|| "origin".to_owned());
    let configured = configured.filter(|name| is_known(name));
    Ok(configured.or(usual).unwrap_or_else(|| remote.to_owned()))
}

/// Where a branch of the repository is now, its commits fetched. No ref is
/// changed.
pub(crate) async fn fetch_tip(
    place: &Place,
    git: &Git,
    remote: &str,
    branch: &str,
) -> Result<Oid, StepError> {
    let head = place.github.branch_head(&place.repository, branch).await?;
    let Some(tip) = head else {
        let repository = &place.repository;
        return Err(StepError::blocked(format!(
            "{repository} has no branch {branch}; push it, or name another base"
        )));
    };
    if git.find_commit(tip.as_str()).await?.is_none() {
        let reference = format!("refs/heads/{branch}");
        git.fetch_objects(remote, &[&reference]).await?;
    }
    // It may have moved on in between; then the next look sees the newer one.
    Ok(git.commit(tip.as_str()).await?)
}

/// The text of an element among those that the protocol does not know.
pub(crate) fn text_of(elements: &[Element], name: &str) -> Option<String> {
    let element = elements.iter().find(|element| element.name() == name)?;
    let text: String = element
        .nodes()
        .iter()
        .filter_map(|node| match node {
            Node::Text(text) => Some(text.as_str()),
            Node::Element(_) => None,
        })
        .collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// An element with text, for what the protocol has no name for.
pub(crate) fn element(name: &str, text: &str) -> Element {
    let mut element = Element::new(name).expect("the names are written in this crate");
    element.push_text(text);
    element
}

/// One process at a time changes what all worktrees of a checkout share: their
/// list, the branches. The lock ends with the value, or with the process.
#[derive(Debug)]
pub(crate) struct CheckoutLock {
    _file: File,
}

/// How often a lock that someone else has is looked at again.
const LOCK_INTERVAL: Duration = Duration::from_millis(25);

impl CheckoutLock {
    pub(crate) async fn take(step: &AgentStep<'_>) -> Result<Self, StepError> {
        let folder = claim::worktrees_of(&step.place.checkout);
        let path = folder.join(".lock");
        let failed = |error| StepError::file(format_args!("lock {}", path.display()), &error);
        loop {
            fs::create_dir_all(&folder).map_err(failed)?;
            let file = match File::create(&path) {
                // The last run of the checkout has just removed the folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                file => file.map_err(failed)?,
            };
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => return Ok(Self { _file: file }),
                // It was removed in between: another file is the lock now.
                Ok(()) => continue,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
            tokio::select! {
                () = step.context.cancel.cancelled() => return Err(StepError::cancelled()),
                () = tokio::time::sleep(LOCK_INTERVAL) => {}
            }
        }
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(held), Ok(there)) => (held.dev(), held.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}
