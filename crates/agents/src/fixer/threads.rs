//! An answer in every thread: with the commit that fixes it, what was tried, or
//! the reason why it is declined. Resolved is only what the evidence settles, and
//! a finding is called fixed once.

use std::time::Duration;

use baton_host::git::Oid;
use baton_remote::github::questions::review_discussion::{ReviewDiscussion, ReviewThread};

use super::evidence::Outcome;
use super::fate::Fate;
use crate::AgentStep;
use crate::lockdown;
use crate::marker::{self, Marker, comment_once};
use crate::people;
use crate::pull::Pull;
use crate::review_comment::FindingMark;
use crate::reviewer::open_threads;
use crate::step_error::StepError;
use crate::tools;

/// A forge needs a moment to notice a push.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(500);

/// Waits until the pull request is what was pushed.
pub(super) async fn wait_for_head(
    step: &AgentStep<'_>,
    pull: &Pull,
    pushed: &Oid,
) -> Result<(), StepError> {
    let place = step.place;
    for _ in 0..LOOKS {
        let now = place
            .github
            .pull_request(&place.repository, pull.number)
            .await?;
        if now.head.sha == *pushed {
            return Ok(());
        }
        tokio::select! {
            () = step.context.cancel.cancelled() => return Err(StepError::cancelled()),
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
    Err(StepError::new(
        baton_workflow::FailureKind::Transient,
        format!(
            "pull request #{} does not show the pushed commit {pushed} yet",
            pull.number
        ),
    ))
}

/// `settled`: a person has agreed to what is declined.
pub(super) async fn answer(
    step: &AgentStep<'_>,
    pull: &Pull,
    outcomes: &[Outcome<'_>],
    settled: bool,
) -> Result<(), StepError> {
    let discussion = lockdown::review_discussion(step, pull.number).await?;
    for (mark, thread) in open_threads(&discussion) {
        let outcome = outcomes
            .iter()
            .find(|one| FindingMark::from_issue(one.issue) == mark);
        let Some(Outcome { fate, .. }) = outcome else {
            if !is_answered(thread) {
                let text = "It does not stand in the way. Whether it is still there, the next review says.";
                reply(step, thread, text).await?;
            }
            continue;
        };
        match fate {
            _ if fate.is_proven() && was_called_fixed(&discussion, mark) => {
                tools::resolve_thread(step, pull, thread, None, &fate.markdown_again()).await?;
            }
            Fate::Fixed { commits, check } => {
                let newest = commits.last().map(|named| named.commit.as_str());
                let reason = format!("`{check}` no longer reports it.");
                tools::resolve_thread(step, pull, thread, newest, &reason).await?;
            }
            Fate::Gone { .. } => {
                tools::resolve_thread(step, pull, thread, None, &fate.markdown()).await?;
            }
            Fate::Declined { .. } if settled => {
                let agreed = format!("{}\n\nA person who steers the run agrees.", fate.markdown());
                tools::resolve_thread(step, pull, thread, None, &agreed).await?;
            }
            // The next review says whether that was enough.
            Fate::Changed { .. } | Fate::Declined { .. } => {
                reply(step, thread, &fate.markdown()).await?;
            }
        }
    }
    for outcome in outcomes {
        if let Some(address) = people::address(outcome.issue) {
            let thread = people::thread_at(&discussion, address);
            answer_person(step, pull, (address, thread), outcome).await?;
        }
    }
    Ok(())
}

/// Their thread is resolved by a commit that changes what they commented on, and
/// otherwise by themselves.
async fn answer_person(
    step: &AgentStep<'_>,
    pull: &Pull,
    (address, thread): (&str, Option<&ReviewThread>),
    outcome: &Outcome<'_>,
) -> Result<(), StepError> {
    let text = outcome.fate.markdown();
    let is_exact = matches!(outcome.fate, Fate::Changed { is_exact: true, .. });
    match thread {
        Some(thread) if thread.place.is_resolved => {}
        Some(thread) if is_exact => tools::resolve_thread(step, pull, thread, None, &text).await?,
        Some(thread) => reply(step, thread, &text).await?,
        // A review has no thread of its own.
        None => {
            let name = FindingMark::from_issue(outcome.issue).name();
            let marker = Marker::part(step.context.key(), name);
            let text = format!("In answer to {address}:\n\n{text}");
            comment_once(step.place, pull.number, &marker, &text).await?;
        }
    }
    Ok(())
}

/// What the tool writes at the beginning of a reply that names a commit.
const FIXED: &str = "Fixed in ";

/// Whether a reply has called the finding fixed before. Where that was an earlier
/// try of this step, the tool knows its own reply and makes no second one.
fn was_called_fixed(discussion: &ReviewDiscussion, mark: FindingMark) -> bool {
    discussion.threads.iter().any(|thread| {
        let mut comments = thread.comments.iter().filter(|one| one.viewer_did_author);
        let is_about_it = comments
            .next()
            .is_some_and(|first| FindingMark::in_comment(&first.body) == Some(mark));
        is_about_it
            && comments.any(|one| one.body.starts_with(FIXED) && marker::is_in_any(&one.body))
    })
}

/// Whether the thread has a reply of ours, of whichever step.
fn is_answered(thread: &ReviewThread) -> bool {
    let mut replies = thread.comments.iter().skip(1);
    replies.any(|reply| reply.viewer_did_author && marker::is_in_any(&reply.body))
}

/// Says it once, however often the step is run.
async fn reply(step: &AgentStep<'_>, thread: &ReviewThread, text: &str) -> Result<(), StepError> {
    let marker = Marker::for_key(step.context.key());
    let is_said = thread
        .comments
        .iter()
        .any(|comment| comment.viewer_did_author && marker.is_in(&comment.body));
    if is_said {
        return Ok(());
    }
    let body = marker.below(text);
    step.place
        .github
        .reply_to_thread(&thread.place.id, &body)
        .await?;
    Ok(())
}
