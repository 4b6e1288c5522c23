//! What was pushed stays. An agent that amended, rebased or switched branches
//! has made a change all the same: it becomes a commit on top.

use baton_host::git::{Call, Oid};

use crate::step_error::StepError;
use crate::workspace::Workspace;

/// Puts the branch back on top of `start` where it is not. The files stay as
/// they are, so that what the agent did is still to be committed.
pub(super) async fn keep(workspace: &Workspace, start: &Oid) -> Result<(), StepError> {
    let git = &workspace.git;
    let branch = format!("refs/heads/{}", workspace.branch);
    if git.head().await?.branch() != Some(workspace.branch.as_str()) {
        let call = Call::write("go back to the branch").args(["symbolic-ref", "HEAD", &branch]);
        git.call(call).await?.success()?;
    }
    let is_there = git.find_commit("HEAD").await?.is_some();
    if is_there && git.is_ancestor(start.as_str(), "HEAD").await? {
        return Ok(());
    }
    let doing = "bring back what was pushed";
    let call = Call::write(doing).args(["reset", "--quiet", "--soft", start.as_str()]);
    Ok(git.call(call).await?.success().map(drop)?)
}
