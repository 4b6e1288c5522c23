//! The merge queue of the base: it merges what was put in once the checks pass
//! on top of everything before it. A push takes a pull request out, so what is
//! merged is what was put in.

use baton_protocol::Oid;
use baton_remote::github::questions::merge_readiness::QueueEntry;
use baton_remote::github::resources::pulls::PullRequest;
use tokio::time::Instant;

use crate::Errand;
use crate::failure::Setback;
use crate::pull::Pull;

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
pub(super) async fn merge(errand: &Errand<'_>, pull: &Pull, head: &Oid) -> Result<Led, Setback> {
    let settings = &errand.place.settings;
    let until = Instant::now() + settings.ci_patience;
    let (mut said, mut missed) = (None, 0);
    loop {
        let (entry, now) = look(errand, pull, head).await?;
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
            None if was_put_in(errand, head).await? => {
                missed += 1;
                if missed < LOOKS {
                    pause(errand).await?;
                    continue;
                }
                return Ok(Led::TakenOut(format!(
                    "the merge queue of {} took {} out without merging it: its checks failed on top of what is merged before it, or somebody took it out",
                    pull.now.base.branch,
                    head.short()
                )));
            }
            None => {
                put_in(errand, pull, head).await?;
                continue;
            }
        };
        errand.context.remember(NOTE, head.as_str()).await?;
        let place = format!(
            "it waits in the merge queue of {} at position {} ({})",
            pull.now.base.branch,
            entry.position,
            entry.state.as_str()
        );
        if said.as_ref() != Some(&place) {
            errand.context.say(&place);
        }
        errand.context.tick();
        if Instant::now() >= until {
            return Err(Setback::blocked(format!(
                "{place}, and was not merged within {:?}",
                settings.ci_patience
            )));
        }
        said = Some(place);
        missed = 0;
        pause(errand).await?;
    }
}

async fn pause(errand: &Errand<'_>) -> Result<(), Setback> {
    tokio::select! {
        () = errand.context.cancel.cancelled() => Err(Setback::cancelled()),
        () = tokio::time::sleep(errand.place.settings.ci_interval) => Ok(()),
    }
}

/// The queue is asked first: what left it in between is merged by the second
/// look.
async fn look(
    errand: &Errand<'_>,
    pull: &Pull,
    head: &Oid,
) -> Result<(Option<QueueEntry>, PullRequest), Setback> {
    let place = errand.place;
    let entry = place.github.queue_entry(&pull.now.node_id, head).await?;
    let now = place.github.pull_request(&place.repository, pull.number);
    Ok((entry, now.await?))
}

async fn put_in(errand: &Errand<'_>, pull: &Pull, head: &Oid) -> Result<(), Setback> {
    errand.context.say(&format!(
        "putting {} into the merge queue of {}",
        head.short(),
        pull.now.base.branch
    ));
    let github = &errand.place.github;
    github.enqueue_pull_request(&pull.now.node_id, head).await?;
    Ok(errand.context.remember(NOTE, head.as_str()).await?)
}

/// One that is put in anew after a crash, without a note, does no harm.
async fn was_put_in(errand: &Errand<'_>, head: &Oid) -> Result<bool, Setback> {
    let note = errand.context.recall(NOTE).await?;
    Ok(note.is_some_and(|note| note == head.as_str().as_bytes()))
}
