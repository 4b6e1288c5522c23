//! The pull request of a run as it is now, and the workspace brought in step
//! with it.

use std::num::NonZeroU64;

use baton_host::git::{Call, Git, Oid};
use baton_protocol::handoff::{HandoffKind, HttpUrl, Moment, WorkspaceType};
use baton_remote::github::enums::PullState;
use baton_remote::github::resources::pulls::PullRequest;
use jiff::Timestamp;

use crate::AgentStep;
use crate::commits::{self, TRAILER};
use crate::foreign_text::one_line;
use crate::handoffs;
use crate::reviewer::REVIEWED_COMMIT;
use crate::step_error::StepError;
use crate::workspace::{Workspace, text_of};

pub(crate) struct Pull {
    pub(crate) number: u32,
    pub(crate) now: PullRequest,
    /// The issue that it is for.
    pub(crate) issue: NonZeroU64,
}

/// How the commits here lie to those of the pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    Same,
    /// Here are commits that were not pushed.
    Ahead,
    /// Someone pushed commits that are not here.
    Behind,
    Apart,
}

impl Pull {
    /// Looks at the pull request that the handoffs name.
    pub(crate) async fn open(step: &AgentStep<'_>) -> Result<Self, StepError> {
        let handoffs = || step.call.state.passed().iter().rev();
        let number = handoffs().find_map(|passed| passed.handoff.pr_number());
        let number = number.and_then(|number| u32::try_from(number.get()).ok());
        let number =
            number.ok_or_else(|| StepError::rejected("no pull request was handed over"))?;
        let issue = handoffs().find_map(|passed| passed.handoff.issue_number());
        let issue = issue.ok_or_else(|| StepError::rejected("no issue was handed over"))?;
        let now = look_up(step, number).await?;
        Ok(Self { number, now, issue })
    }

    pub(crate) fn head(&self) -> &str {
        self.now.head.sha.as_str()
    }

    pub(crate) fn is_merged(&self) -> bool {
        self.now.is_merged()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.now.state == PullState::Open
    }

    /// Nothing can be done for one that someone closed.
    pub(crate) fn require_open(&self) -> Result<(), StepError> {
        if self.is_open() {
            return Ok(());
        }
        Err(StepError::blocked(format!(
            "pull request #{} was closed; open it again, or stop the run",
            self.number
        )))
    }

    /// As the tools want it.
    pub(crate) fn reference(&self, step: &AgentStep<'_>) -> String {
        format!("{}#{}", step.place.repository, self.number)
    }

    pub(crate) fn url(&self) -> Result<HttpUrl, StepError> {
        let url = &self.now.html_url;
        url.parse()
            .map_err(|_| StepError::permanent(format!("{url} is no address of a pull request")))
    }

    pub(crate) fn number(&self) -> NonZeroU64 {
        NonZeroU64::new(self.number.into()).expect("the number was read from one that is not zero")
    }

    /// How the commits here lie to its head, which is fetched.
    pub(crate) async fn lie(&self, workspace: &Workspace) -> Result<Lie, StepError> {
        let (git, head) = (&workspace.git, self.head());
        if workspace.head().await?.as_str() == head {
            return Ok(Lie::Same);
        }
        if git.find_commit(head).await?.is_none() {
            let reference = format!("refs/pull/{}/head", self.number);
            git.fetch_objects(&workspace.remote, &[&reference]).await?;
        }
        Ok(if git.is_ancestor("HEAD", head).await? {
            Lie::Behind
        } else if git.is_ancestor(head, "HEAD").await? {
            Lie::Ahead
        } else {
            Lie::Apart
        })
    }

    /// Makes the workspace what the pull request is: takes over what others
    /// pushed, and throws away what a step that was cut off left in the files.
    pub(crate) async fn bring_here(
        &self,
        workspace: &Workspace,
        step: &AgentStep<'_>,
    ) -> Result<Oid, StepError> {
        clear(workspace).await?;
        match self.lie(workspace).await? {
            Lie::Same => {}
            Lie::Behind => fast_forward(workspace, self.head()).await?,
            // The step made them itself, and was cut off before it pushed.
            Lie::Ahead if self.is_ahead_by(workspace, step).await? => {}
            Lie::Ahead => {
                return Err(StepError::rejected(format!(
                    "{} has commits that were not pushed to pull request #{}",
                    workspace.branch, self.number
                )));
            }
            Lie::Apart => {
                return Err(StepError::blocked(format!(
                    "someone replaced the commits of {} on the forge; make {} agree with it, or stop the run",
                    workspace.branch,
                    workspace.path.display()
                )));
            }
        }
        Ok(workspace.head().await?)
    }

    /// Whether this step made all commits that the pull request does not have.
    async fn is_ahead_by(
        &self,
        workspace: &Workspace,
        step: &AgentStep<'_>,
    ) -> Result<bool, StepError> {
        let trailer = format!("{TRAILER}: {}", step.context.key());
        let messages = added_since(&workspace.git, self.head()).await?;
        let is_ours = |message: &String| message.lines().any(|line| line == trailer);
        Ok(messages.iter().all(is_ours))
    }
}

/// The pull request that a handoff names. One of another branch is none of the
/// run's, whatever is said.
pub(crate) async fn look_up(step: &AgentStep<'_>, number: u32) -> Result<PullRequest, StepError> {
    let place = step.place;
    let branch = &handoffs::workspace(step)?.branch;
    let found = place.github.pull_request(&place.repository, number).await;
    let pull = found
        .map_err(|error| StepError::unless_there(format_args!("pull request #{number}"), error))?;
    if pull.head.branch != branch.as_str() {
        return Err(StepError::rejected(format!(
            "pull request #{number} is about the branch {}, and this run works on {branch}",
            one_line(&pull.head.branch, 100)
        )));
    }
    Ok(pull)
}

/// The messages of the commits that were put on top of a commit. What a merge
/// brings along is not among them.
pub(crate) async fn added_since(git: &Git, commit: &str) -> Result<Vec<String>, StepError> {
    let call = Call::read("list what was added")
        .args(["log", "--first-parent", "-z", "--format=tformat:%B"])
        .args(["--end-of-options", &format!("{commit}..HEAD"), "--"]);
    let reply = git.call(call).await?.success()?;
    let said = String::from_utf8_lossy(&reply.stdout);
    let messages = said.split_terminator('\0');
    Ok(messages.map(str::to_owned).collect())
}

/// The commit that the newest review was about.
pub(crate) fn reviewed_commit(step: &AgentStep<'_>) -> Option<String> {
    let mut passed = step.call.state.passed().iter().rev();
    let review = passed.find(|passed| {
        matches!(
            passed.handoff.kind(),
            HandoffKind::Approved | HandoffKind::ChangesRequested
        )
    })?;
    text_of(review.handoff.other(), REVIEWED_COMMIT)
}

/// Where nothing is under way, what is not committed was left by a step that
/// was cut off. In the user's own checkout it may be the user's.
pub(crate) async fn tidy(workspace: &Workspace) -> Result<(), StepError> {
    let git = &workspace.git;
    let look = Call::read("look for changes").args([
        "diff",
        "--quiet",
        "--ignore-submodules=dirty",
        "HEAD",
    ]);
    if git.call(look).await?.yes_or_no()? {
        return Ok(());
    }
    if workspace.kind != WorkspaceType::Worktree {
        return Err(StepError::blocked(format!(
            "{} has changes that are not committed; commit them or take them back",
            workspace.path.display()
        )));
    }
    let reset = Call::write("take back changes").args(["reset", "--quiet", "--hard", "HEAD"]);
    Ok(git.call(reset).await?.success().map(drop)?)
}

/// Like [`tidy`], with new files: where a step begins, they are what a coding
/// agent that was cut off has left.
pub(crate) async fn clear(workspace: &Workspace) -> Result<(), StepError> {
    tidy(workspace).await?;
    if workspace.kind == WorkspaceType::Worktree {
        commits::remove_new(&workspace.git).await?;
    }
    Ok(())
}

async fn fast_forward(workspace: &Workspace, to: &str) -> Result<(), StepError> {
    let call = Call::write("take over what was pushed").args(["merge", "--quiet", "--ff-only", to]);
    Ok(workspace.git.call(call).await?.success().map(drop)?)
}

/// Now, as handoffs want it.
pub(crate) fn moment() -> Moment {
    Moment::from(Timestamp::now())
}
