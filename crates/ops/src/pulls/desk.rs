use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use baton_protocol::cursor::CursorKey;
use baton_protocol::{PrReference, Repository};
use baton_remote::github::GitHub;
use baton_remote::github::resources::pulls::PullFilter;
use tokio_util::sync::CancellationToken;

use super::objects::{Objects, Workplace};
use super::trouble::ToolError;

/// What every tool is given: one server, one place on this machine, and
/// whoever waits for the answer.
#[derive(Clone, Debug)]
pub struct Desk {
    pub github: GitHub,
    pub workplace: Workplace,
    /// For a pull request that is given by its number alone.
    pub here: Option<Repository>,
    pub cursors: CursorKey,
    pub patience: Patience,
    pub progress: Progress,
    pub cancel: CancellationToken,
}

/// How long whoever asks is ready to wait for CI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    pub longest: Duration,
    /// Between two looks.
    pub interval: Duration,
}

impl Patience {
    /// A person, or a script, at a terminal.
    pub const TERMINAL: Self = Self {
        longest: Duration::from_mins(30),
        interval: Duration::from_secs(15),
    };
    /// Clients of a tool server give up on calls after a minute or two.
    pub const TOOL_CALL: Self = Self {
        longest: Duration::from_secs(45),
        interval: Duration::from_secs(10),
    };
}

/// Told what is going on, in a few words, while a tool works.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(&str) + Send + Sync>>);

impl Progress {
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    pub(super) fn tell(&self, what: &str) {
        if let Some(tell) = &self.0 {
            tell(what);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Progress(told)"
        } else {
            "Progress(nobody)"
        })
    }
}

impl Desk {
    /// Reads a reference as a caller wrote it.
    pub(super) fn reference(&self, text: &str) -> Result<PrReference, ToolError> {
        PrReference::parse(text, self.here.as_ref()).map_err(ToolError::bad_reference)
    }

    /// The open pull request of the branch that is checked out here, for
    /// whoever names none.
    pub async fn pull_of_this_branch(&self) -> Result<PrReference, ToolError> {
        let (Some(repository), Some(place)) =
            (&self.here, self.workplace.this_branch(&self.cancel).await?)
        else {
            return Err(ToolError::logical(
                "no pull request was named, and there is no branch of its repository here",
                "Name one as 'owner/repo#12', or run inside a checkout with a branch checked out.",
            ));
        };
        for owner in place.owners(repository) {
            let branch = &place.branch;
            let found = self
                .github
                .pull_requests_from(repository, &owner, branch, PullFilter::Open)
                .await?;
            // The newest of several, which go to different branches.
            if let Some(pull) = found.items.iter().map(|pull| pull.number).max() {
                return PrReference::new(repository.clone(), pull)
                    .map_err(ToolError::bad_reference);
            }
        }
        Err(ToolError::logical(
            format!(
                "{repository} has no open pull request from the branch `{}`",
                place.branch
            ),
            "Open one with `baton pr create`, or name one as 'owner/repo#12'.",
        ))
    }

    /// The commits of a repository, here or fetched.
    pub(super) async fn objects(&self, repository: &Repository) -> Result<Objects, ToolError> {
        Ok(self.workplace.objects(repository, &self.cancel).await?)
    }
}
