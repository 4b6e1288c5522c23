//! A pull request stays a draft until it is reviewed and validated.

use crate::AgentStep;
use crate::pull::Pull;
use crate::step_error::StepError;

/// Asks people to look at it now. A draft that someone else opened is one on purpose.
pub(super) async fn mark_ready(step: &AgentStep<'_>, pull: &Pull) -> Result<(), StepError> {
    if !pull.now.draft || step.goal().pull_request.is_some() {
        return Ok(());
    }
    step.context.say("marking the pull request as ready");
    let github = &step.place.github;
    match github.mark_ready_for_review(&pull.now.node_id).await {
        Ok(_) => Ok(()),
        Err(error) => {
            // After a lost answer it may be ready.
            let place = step.place;
            let now = github.pull_request(&place.repository, pull.number).await?;
            if now.draft { Err(error.into()) } else { Ok(()) }
        }
    }
}
