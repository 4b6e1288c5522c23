//! The coding agent that writes, in a worktree that holds nothing half done.
//!
//! An agent that is cut off with its driver may leave half a file. So the step
//! notes where the branch is before it lets an agent work, and that the agent
//! has ended. A note of the first without the second, in whichever try, means
//! that it was cut off. Then
//!
//! - the agent goes on in the same files, if it takes up the session in which
//!   it was cut off, or else
//! - the worktree goes back to the newest commit of the branch that stands on
//!   what was noted: what the agent had committed stays, to be judged like all
//!   commits of an agent, and nothing else does.
//!
//! The user's own checkout is not put back, as what is in it may be theirs: a
//! person is asked.

use baton_engine::agent::{AgentEnd, AgentError, AgentReport, Assignment, Role};
use baton_host::git::{Call, Oid};
use baton_host::sandbox;
use baton_protocol::handoff::WorkspaceType;
use serde_json::{Value, json};

use crate::AgentStep;
use crate::commits;
use crate::confine;
use crate::step_error::StepError;
use crate::prep;
use crate::project_command;
use crate::workspace::Workspace;

/// What is noted while an agent works.
const AT_WORK: &str = "agent-at-work";

/// How an agent finds the worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorktreeState {
    /// As the user left it on purpose.
    Left,
    /// As it was when an agent was cut off that goes on now.
    CutOff,
    /// Without what an agent that was cut off had not committed.
    PutBack,
}

/// Looks whether an agent was cut off in this step, and sees to what it left.
pub(crate) async fn settle(step: &AgentStep<'_>, workspace: &Workspace) -> Result<WorktreeState, StepError> {
    let Some(begun) = cut_off_at(step).await? else {
        workspace.renew_copy(step).await?;
        return Ok(WorktreeState::Left);
    };
    require(step)?;
    let coder = &step.place.coder;
    if coder.goes_on(&workspace.path, step.context).await? {
        return Ok(WorktreeState::CutOff);
    }
    if workspace.kind != WorkspaceType::Worktree {
        return leave_to_a_person(workspace).await;
    }
    workspace.take_commits(step).await?;
    let said = "a coding agent was cut off here; what it had not committed is taken back";
    step.context.say(said);
    put_back(workspace, &begun).await?;
    workspace.renew_copy(step).await?;
    Ok(WorktreeState::PutBack)
}

/// Lets the agent work. What it says and leaves is for the caller to judge.
pub(crate) async fn work(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    prompt: &str,
    state: WorktreeState,
) -> Result<AgentReport, StepError> {
    require(step)?;
    let (place, context) = (step.place, step.context);
    let own = project_command::agent_environment(step, &workspace.path);
    let agent = &place.coder;
    prep::give_back(step, &workspace.path);
    let confinement =
        confine::for_agent(step, sandbox::Role::Writer, &workspace.path, &own, agent).await?;
    let assignment = Assignment {
        role: Role::Writer,
        worktree: &workspace.path,
        repository: Some(&workspace.git),
        prompt,
        environment: confinement.environment(),
        limits: step.call.limits,
        only_resume: state == WorktreeState::CutOff,
        mcp_servers: &place.mcp_servers,
    };
    if state != WorktreeState::CutOff {
        let note = json!({ "begun": workspace.head().await?.as_str() });
        context.remember(AT_WORK, note.to_string()).await?;
    }
    let worked = place.coder.work(&assignment, context).await;
    confine::tell(step, "the coding agent", confinement);
    let is_full = matches!(&worked, Ok(report) if report.end == AgentEnd::FilledDisk);
    if is_full && workspace.kind == WorkspaceType::Worktree {
        put_back(workspace, &workspace.head().await?).await?;
    }
    workspace.take_commits(step).await?;
    // Without its session, nothing has changed about the files that it left.
    if !matches!(worked, Err(AgentError::SessionLost)) {
        context.remember(AT_WORK, "{}").await?;
    }
    Ok(worked?)
}

/// Everything else goes on without an agent.
fn require(step: &AgentStep<'_>) -> Result<(), StepError> {
    match &step.place.coder_missing {
        Some(missing) => Err(StepError::permanent(missing.clone())),
        None => Ok(()),
    }
}

/// Where the branch was before an agent that never ended.
async fn cut_off_at(step: &AgentStep<'_>) -> Result<Option<Oid>, StepError> {
    let note = step.context.recall(AT_WORK).await?.unwrap_or_default();
    let note: Value = serde_json::from_slice(&note).unwrap_or_default();
    Ok(note["begun"].as_str().and_then(Oid::parse))
}

async fn put_back(workspace: &Workspace, begun: &Oid) -> Result<(), StepError> {
    let git = &workspace.git;
    // A git that was killed leaves its lock. Its process has ended.
    let lock = git.facts().await?.git_dir.join("index.lock");
    if let Err(error) = std::fs::remove_file(&lock)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        let doing = format!("remove {}", lock.display());
        return Err(StepError::file(doing, &error));
    }
    let to = if git.is_ancestor(begun.as_str(), "HEAD").await? {
        workspace.head().await?
    } else {
        begun.clone()
    };
    let doing = format!("go back to {to}");
    let reset = Call::write(doing).args(["reset", "--quiet", "--hard", to.as_str()]);
    git.call(reset).await?.success()?;
    commits::remove_new(git).await
}

/// A person who looks at the files knows which of them are theirs.
async fn leave_to_a_person(workspace: &Workspace) -> Result<WorktreeState, StepError> {
    let git = &workspace.git;
    if git.working_tree().await? == git.tree("HEAD").await? {
        return Ok(WorktreeState::PutBack);
    }
    Err(StepError::blocked(format!(
        "a coding agent was cut off in {}, and may have left files half written; commit what is whole and take back the rest",
        workspace.path.display()
    )))
}
