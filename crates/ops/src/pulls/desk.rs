use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use baton_protocol::cursor::CursorKey;
use baton_protocol::{PrReference, Repository};
use baton_remote::github::GitHub;
use baton_remote::github::resources::pulls::PullFilter;
use tokio_util::sync::CancellationToken;

use super::objects::{Objects, ThisBranch, Workplace};
use super::tool::Tool;
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
    /// The folder of what is remembered between calls. Without one, nothing
    /// is done that could not be taken back.
    pub state: Option<PathBuf>,
    pub patience: Patience,
    pub optional_checks: OptionalChecks,
    pub progress: Progress,
    pub cancel: CancellationToken,
}

/// Whether a check that no rule requires stands in the way of a merge when it does not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionalChecks {
    Block,
    Ignore,
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
pub struct Progress(Option<Arc<Tell>>);

type Tell = dyn Fn(&str) + Send + Sync;

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

    /// What a tool is asked about by whoever names nothing: the open pull
    /// request of the branch that is checked out here or, for a tool that takes
    /// commits, where the forge has the branch.
    pub async fn subject_here(&self, tool: &Tool) -> Result<String, ToolError> {
        let (Some(repository), Some(place)) =
            (&self.here, self.workplace.this_branch(&self.cancel).await?)
        else {
            return Err(ToolError::logical(
                "no pull request was named, and there is no branch of its repository here",
                format!(
                    "Name one as 'owner/repo#12'{}, or run inside a checkout with a branch checked out.",
                    or_a_commit(tool)
                ),
            ));
        };
        if let Some(pull) = self.pull_of(repository, &place).await? {
            return Ok(pull.to_string());
        }
        let branch = &place.branch;
        if !tool.takes_commits() {
            return Err(ToolError::logical(
                format!("{repository} has no open pull request from the branch `{branch}`"),
                "Open one with `baton pr create`, or name one as 'owner/repo#12'.",
            ));
        }
        for pushed_to in place.repositories(repository) {
            if let Some(head) = self.github.branch_head(pushed_to, branch).await? {
                return Ok(format!("{pushed_to}@{head}"));
            }
        }
        Err(ToolError::logical(
            format!(
                "the branch `{branch}` has no open pull request, and {repository} does not know it"
            ),
            format!(
                "Push it so that CI can see it, or name a pull request as 'owner/repo#12'{}.",
                or_a_commit(tool)
            ),
        ))
    }

    async fn pull_of(
        &self,
        repository: &Repository,
        place: &ThisBranch,
    ) -> Result<Option<PrReference>, ToolError> {
        for owner in place.owners(repository) {
            let found = self
                .github
                .pull_requests_from(repository, &owner, &place.branch, PullFilter::Open)
                .await?;
            // The newest of several, which go to different branches.
            if let Some(pull) = found.items.iter().map(|pull| pull.number).max() {
                return PrReference::new(repository.clone(), pull)
                    .map(Some)
                    .map_err(ToolError::bad_reference);
            }
        }
        Ok(None)
    }

    /// The commits of a repository, here or fetched.
    pub(super) async fn objects(&self, repository: &Repository) -> Result<Objects, ToolError> {
        Ok(self.workplace.objects(repository, &self.cancel).await?)
    }
}

fn or_a_commit(tool: &Tool) -> &'static str {
    if tool.takes_commits() {
        " or a commit as 'owner/repo@' and its full id"
    } else {
        ""
    }
}
