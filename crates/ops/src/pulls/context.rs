//! A call about pull requests, connected to their server.

use std::ops::Deref;
use std::path::PathBuf;

use baton_protocol::cursor::CursorKey;
use baton_protocol::{PrReference, Repository};
use baton_remote::github::GitHub;
use baton_remote::github::resources::pulls::PullFilter;

use super::objects::{Objects, ThisBranch, Workplace};
use crate::context::Context;
use crate::error::OpError;
use crate::event::Event;

/// What operations on pull requests use.
pub struct PullContext {
    pub call: Context,
    pub access: PullAccess,
}

/// The server of pull requests, and a place on this machine for work on them.
#[derive(Clone)]
pub struct PullAccess {
    pub github: GitHub,
    pub workplace: Workplace,
    /// For a pull request that is given by its number alone.
    pub here: Option<Repository>,
    pub cursors: CursorKey,
    /// The folder of what is remembered between calls. Without one, nothing
    /// is done that could not be undone.
    pub state: Option<PathBuf>,
    pub optional_checks: OptionalChecks,
}

/// Whether a check that no rule requires stands in the way of a merge when it does not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionalChecks {
    Block,
    Ignore,
}

/// What may be named in place of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    PullRequest,
    /// Also a commit: `owner/repo@` and its full id.
    PullRequestOrCommit,
}

impl Deref for PullContext {
    type Target = PullAccess;

    fn deref(&self) -> &PullAccess {
        &self.access
    }
}

impl PullContext {
    /// The call, for operations that are about pull requests of this server.
    pub fn into_context(self) -> Context {
        Context {
            connected: Some(self.access),
            ..self.call
        }
    }

    /// Ends the work early, without waiting for it, when the call is cancelled.
    pub(crate) fn until_cancelled<'a, T: 'a>(
        &'a self,
        work: impl Future<Output = Result<T, OpError>> + Send + 'a,
    ) -> impl Future<Output = Result<T, OpError>> + Send + 'a {
        // On the heap: it holds the answers of many requests.
        let work = Box::pin(work);
        async move {
            tokio::select! {
                biased;
                () = self.call.cancel.cancelled() => Err(OpError::Cancelled),
                done = work => done,
            }
        }
    }

    /// Reports progress, in a few words.
    pub(super) fn tell(&self, what: &str) {
        self.call.emit(Event::Message(what));
    }

    /// Reads a reference as a caller wrote it.
    pub(crate) fn reference(&self, text: &str) -> Result<PrReference, OpError> {
        PrReference::parse(text, self.here.as_ref()).map_err(OpError::bad_reference)
    }

    /// The repository that a call names, else that of the checkout.
    pub(super) fn repository(&self, named: Option<&str>) -> Result<Repository, OpError> {
        match (named, &self.here) {
            (Some(named), _) => Repository::parse(named).map_err(OpError::bad_reference),
            (None, Some(here)) => Ok(here.clone()),
            (None, None) => Err(OpError::logical(
                "no repository was named, and there is no checkout of one here",
                "Name one as 'owner/repo', or run inside a checkout.",
            )),
        }
    }

    /// What a call is about that names nothing: the open pull request of the
    /// branch that is checked out or, where commits may be named, the branch's
    /// head on the server.
    pub async fn subject_here(&self, subject: Subject) -> Result<String, OpError> {
        let (Some(repository), Some(place)) = (
            &self.here,
            self.workplace.this_branch(&self.call.cancel).await?,
        ) else {
            return Err(OpError::logical(
                "no pull request was named, and there is no branch of its repository here",
                format!(
                    "Name one as 'owner/repo#12'{}, or run inside a checkout with a branch checked out.",
                    or_a_commit(subject)
                ),
            ));
        };
        if let Some(pull) = self.pull_of(repository, &place).await? {
            return Ok(pull.to_string());
        }
        let branch = &place.branch;
        if subject == Subject::PullRequest {
            return Err(OpError::logical(
                format!("{repository} has no open pull request from the branch `{branch}`"),
                "Open one with `baton pr create`, or name one as 'owner/repo#12'.",
            ));
        }
        for pushed_to in place.repositories(repository) {
            if let Some(head) = self.github.branch_head(pushed_to, branch).await? {
                return Ok(format!("{pushed_to}@{head}"));
            }
        }
        Err(OpError::logical(
            format!(
                "the branch `{branch}` has no open pull request, and {repository} does not know it"
            ),
            format!(
                "Push it so that CI can see it, or name a pull request as 'owner/repo#12'{}.",
                or_a_commit(subject)
            ),
        ))
    }

    async fn pull_of(
        &self,
        repository: &Repository,
        place: &ThisBranch,
    ) -> Result<Option<PrReference>, OpError> {
        for owner in place.owners(repository) {
            let found = self
                .github
                .pull_requests_from(repository, &owner, &place.branch, PullFilter::Open)
                .await?;
            // The newest of several, which go to different branches.
            if let Some(pull) = found.items.iter().map(|pull| pull.number).max() {
                return PrReference::new(repository.clone(), pull)
                    .map(Some)
                    .map_err(OpError::bad_reference);
            }
        }
        Ok(None)
    }

    /// The commits of a repository, here or fetched.
    pub(super) async fn objects(&self, repository: &Repository) -> Result<Objects, OpError> {
        Ok(self
            .workplace
            .objects(repository, &self.call.cancel)
            .await?)
    }
}

fn or_a_commit(subject: Subject) -> &'static str {
    match subject {
        Subject::PullRequest => "",
        Subject::PullRequestOrCommit => " or a commit as 'owner/repo@' and its full id",
    }
}
