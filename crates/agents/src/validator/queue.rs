//! The merge queue of the base: it merges what was put in once the checks pass
//! on top of everything before it. A push takes a pull request out, so what is
//! merged is what was put in.

use baton_protocol::Oid;
use baton_remote::github::questions::merge_readiness::QueueEntry;
use baton_remote::github::resources::pulls::PullRequest;
use tokio::time::Instant;

use crate::AgentStep;
use crate::pull::Pull;
use crate::step_error::StepError;

/// The head that this step has put into the queue.
const NOTE: &str = "queued";

/// What was put in shows a moment later; what is missing so often is gone.
const LOOKS: u32 = 3;

/// Where the queue has led.
pub(super) enum Led {
    Merged(Option<Oid>),
    HeadMoved(Oid),
    /// It is not in the queue any more, and not merged.
    TakenOut(String),
}

/// Puts the pull request in, unless it is there, and waits for its merge within
/// the patience of the settings.
pub(super) async fn merge(step: &AgentStep<'_>, pull: &Pull, head: &Oid) -> Result<Led, StepError> {
    let settings = &step.place.settings;
    let until = Instant::now() + settings.ci_patience;
    let (mut said, mut missed) = (None, 0);
    loop {
        let (entry, now) = look(step, pull, head).await?;
        if now.is_merged() {
            return Ok(Led::Merged(now.merge_commit_sha));
        }
        if now.head.sha != *head {
            return Ok(Led::HeadMoved(now.head.sha));
        }
        let (number, issue) = (pull.number, pull.issue);
        Pull { number, now, issue }.require_open()?;
        let entry = match entry {
            Some(entry) => entry,
            None if was_put_in(step, head).await? => {
                missed += 1;
                if missed < LOOKS {
                    pause(step).await?;
                    continue;
                }
                return Ok(Led::TakenOut(format!(
                    "the merge queue of {} took {} out without merging it: its checks failed on top of what is merged before it, or someone took it out",
                    pull.now.base.branch,
                    head.short()
                )));
            }
            None => {
                put_in(step, pull, head).await?;
                continue;
            }
        };
        step.context.remember(NOTE, head.as_str()).await?;
        let place = format!(
            "it waits in the merge queue of {} at position {} ({})",
            pull.now.base.branch,
            entry.position,
            entry.state.as_str()
        );
        if said.as_ref() != Some(&place) {
            step.context.say(&place);
        }
        step.context.tick();
        if Instant::now() >= until {
            return Err(StepError::blocked(format!(
                "{place}, and was not merged within {:?}",
                settings.ci_patience
            )));
        }
        said = Some(place);
        missed = 0;
        pause(step).await?;
    }
}

async fn pause(step: &AgentStep<'_>) -> Result<(), StepError> {
    tokio::select! {
        () = step.context.cancel.cancelled() => Err(StepError::cancelled()),
        () = tokio::time::sleep(step.place.settings.ci_interval) => Ok(()),
    }
}

/// The queue is asked first: what left it in between is merged by the second
/// look.
async fn look(
    step: &AgentStep<'_>,
    pull: &Pull,
    head: &Oid,
) -> Result<(Option<QueueEntry>, PullRequest), StepError> {
    let place = step.place;
    let entry = place.github.queue_entry(&pull.now.node_id, head).await?;
    let now = place.github.pull_request(&place.repository, pull.number);
    Ok((entry, now.await?))
}

async fn put_in(step: &AgentStep<'_>, pull: &Pull, head: &Oid) -> Result<(), StepError> {
    step.context.say(&format!(
        "putting {} into the merge queue of {}",
        head.short(),
        pull.now.base.branch
    ));
    let github = &step.place.github;
    github.enqueue_pull_request(&pull.now.node_id, head).await?;
    Ok(step.context.remember(NOTE, head.as_str()).await?)
}

/// One that is put in again after a crash, without a note, does no harm.
async fn was_put_in(step: &AgentStep<'_>, head: &Oid) -> Result<bool, StepError> {
    let note = step.context.recall(NOTE).await?;
    Ok(note.is_some_and(|note| note == head.as_str().as_bytes()))
}
