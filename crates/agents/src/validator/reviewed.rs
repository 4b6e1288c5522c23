//! Whether what is to be merged is what was reviewed, and no one asks for changes of it.

use baton_protocol::short;

use super::failures::Failures;
use super::kinds;
use crate::AgentStep;
use crate::commits::TRAILER;
use crate::lockdown;
use crate::people;
use crate::pull::{Pull, added_since, reviewed_commit};
use crate::step_error::StepError;
use crate::workspace::Workspace;

/// Commits that someone pushed behind the review have to be looked at first.
/// What the run itself added since (the base, what a formatter mends) has not.
pub(super) async fn check(
    step: &AgentStep<'_>,
    pull: &Pull,
    workspace: &Workspace,
) -> Result<Failures, StepError> {
    let mut failures = Failures::default();
    // The commits of someone else's pull request are reviewed by others.
    if step.goal().pull_request.is_some() {
        unanswered(step, pull, &mut failures).await?;
        return Ok(failures);
    }
    let Some(reviewed) = reviewed_commit(step) else {
        return Ok(failures);
    };
    let git = &workspace.git;
    let is_before = match git.find_commit(&reviewed).await? {
        Some(commit) => git.is_ancestor(commit.as_str(), "HEAD").await?,
        None => false,
    };
    let others = if is_before {
        let ours = format!("{TRAILER}: {}/", step.call.run());
        let is_ours = |message: &&String| message.lines().any(|line| line.starts_with(&ours));
        let messages = added_since(git, &reviewed).await?;
        messages.iter().filter(|message| !is_ours(message)).count()
    } else {
        1
    };
    if others > 0 {
        let head = workspace.head().await?;
        let told = format!(
            "{} was reviewed, and the head of the pull request is {}",
            short(&reviewed),
            head.short()
        );
        failures.add(kinds::HEAD_MOVED, &told);
    }
    Ok(failures)
}

/// What people ask for while the run waits, for CI or for them, has to be dealt with first.
async fn unanswered(
    step: &AgentStep<'_>,
    pull: &Pull,
    failures: &mut Failures,
) -> Result<(), StepError> {
    let discussion = lockdown::review_discussion(step, pull.number).await?;
    let asked = people::asked(step, &discussion).comments;
    if let Some(first) = asked.first() {
        let told = format!(
            "{} asked for on the pull request, first: {}",
            asked.len(),
            first.what
        );
        failures.add(kinds::COMMENTS, &told);
    }
    Ok(())
}
