//! A pull request that someone else opened, and that a run is to bring forward.

use baton_host::git::Oid;
use baton_remote::github::enums::PullState;
use baton_remote::github::resources::repositories::RepositoryName;

use crate::AgentStep;
use crate::foreign_text::one_line;
use crate::step_error::StepError;
use crate::workspace;

pub(super) struct Adopted {
    pub(super) number: u32,
    pub(super) url: String,
    pub(super) branch: String,
    pub(super) head: Oid,
    pub(super) base: String,
    /// The remote of the checkout that the branch is pushed to.
    pub(super) remote: String,
}

/// The pull request as it is now, if the run can push to it.
pub(super) async fn look(step: &AgentStep<'_>, number: u32) -> Result<Adopted, StepError> {
    let place = step.place;
    let found = place.github.pull_request(&place.repository, number).await;
    let pull = found
        .map_err(|error| StepError::unless_there(format_args!("pull request #{number}"), error))?;
    if pull.state != PullState::Open {
        return Err(StepError::blocked(format!(
            "pull request #{number} is closed; open it again, or cancel the run"
        )));
    }
    let Some(home) = pull.head.repo.as_ref().and_then(RepositoryName::parse) else {
        return Err(StepError::blocked(format!(
            "the fork that pull request #{number} comes from is gone, so no fix can be pushed to it"
        )));
    };
    let is_fork = !home
        .to_string()
        .eq_ignore_ascii_case(&place.repository.to_string());
    if is_fork && pull.maintainer_can_modify == Some(false) {
        return Err(StepError::blocked(format!(
            "pull request #{number} comes from {home}, and its author does not allow edits by maintainers; \
             ask them to"
        )));
    }
    let git = workspace::git(step).await?;
    let remote = workspace::remote_for(step.place, &git, &home).await?;
    if pull.head.branch == pull.base.branch && !is_fork {
        return Err(StepError::permanent(format!(
            "pull request #{number} is from {} into itself",
            one_line(&pull.head.branch, 100)
        )));
    }
    Ok(Adopted {
        number,
        url: pull.html_url,
        branch: pull.head.branch,
        head: pull.head.sha,
        base: pull.base.branch,
        remote,
    })
}
