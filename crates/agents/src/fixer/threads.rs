//! An answer in every thread: with the commit that fixes it, or with the reason
//! why it is declined. Resolved is only what the evidence settles.

use std::time::Duration;

use baton_host::git::{LogEntry, Oid};
use baton_ops::pulls::ToolError;
use baton_protocol::tools::ErrorCategory;
use baton_remote::github::questions::review_discussion::ReviewThread;
use serde_json::json;

use super::evidence::{Fate, Outcome, is_by_engine};
use crate::Errand;
use crate::failure::Setback;
use crate::foreign_text::in_markdown;
use crate::marker::{Marker, comment_once};
use crate::people;
use crate::pull::Pull;
use crate::remark::FindingMark;
use crate::reviewer::open_threads;
use crate::tools;

/// A forge needs a moment to notice a push.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(500);

/// Waits until the pull request is what was pushed.
pub(super) async fn wait_for_head(
    errand: &Errand<'_>,
    pull: &Pull,
    pushed: &Oid,
) -> Result<(), Setback> {
    let place = errand.place;
    for _ in 0..LOOKS {
        let now = place
            .github
            .pull_request(&place.repository, pull.number)
            .await?;
        if now.head.sha.as_str() == pushed.as_str() {
            return Ok(());
        }
        tokio::select! {
            () = errand.context.cancel.cancelled() => return Err(Setback::cancelled()),
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
    Err(Setback::new(
        baton_workflow::FailureKind::Transient,
        format!(
            "pull request #{} does not show the pushed commit {pushed} yet",
            pull.number
        ),
    ))
}

/// `settled`: a person has agreed to what is declined.
pub(super) async fn answer(
    errand: &Errand<'_>,
    pull: &Pull,
    outcomes: &[Outcome<'_>],
    made: &[LogEntry],
    settled: bool,
) -> Result<(), Setback> {
    let place = errand.place;
    let discussion = place
        .github
        .review_discussion(&place.repository, pull.number)
        .await?;
    for (mark, thread) in open_threads(&discussion) {
        let outcome = outcomes
            .iter()
            .find(|one| FindingMark::of_issue(one.issue) == mark);
        match outcome.map(|one| (&one.fate, one.issue)) {
            Some((Fate::Fixed { how }, issue)) => {
                if resolve_with_commit(errand, pull, thread, made).await? {
                    continue;
                }
                if is_by_engine(errand, issue) {
                    let reason = "The review engine does not find it any more.";
                    tools::resolve_thread(errand, pull, thread, reason).await?;
                } else {
                    reply(errand, thread, &in_markdown(how)).await?;
                }
            }
            Some((Fate::Declined { reason }, _)) => {
                let reason = format!("Declined: {}", in_markdown(reason));
                if settled {
                    let reason = format!("{reason}\n\nA person who steers the run agrees.");
                    tools::resolve_thread(errand, pull, thread, &reason).await?;
                } else {
                    reply(errand, thread, &reason).await?;
                }
            }
            None => {
                if !resolve_with_commit(errand, pull, thread, made).await? {
                    reply(
                        errand,
                        thread,
                        "It does not stand in the way, and is left as it is.",
                    )
                    .await?;
                }
            }
        }
    }
    for outcome in outcomes {
        if let Some(address) = people::address(outcome.issue) {
            let thread = people::thread_at(&discussion, address);
            answer_person(errand, pull, (address, thread), outcome, made).await?;
        }
    }
    Ok(())
}

/// Their thread is resolved by a commit that changes what they commented on, and
/// otherwise by themselves.
async fn answer_person(
    errand: &Errand<'_>,
    pull: &Pull,
    (address, thread): (&str, Option<&ReviewThread>),
    outcome: &Outcome<'_>,
    made: &[LogEntry],
) -> Result<(), Setback> {
    let text = match &outcome.fate {
        Fate::Fixed { how } => in_markdown(how),
        Fate::Declined { reason } => format!("Declined: {}", in_markdown(reason)),
    };
    let is_fixed = matches!(outcome.fate, Fate::Fixed { .. });
    match thread {
        Some(thread) if thread.place.is_resolved => {}
        Some(thread) if is_fixed && resolve_with_commit(errand, pull, thread, made).await? => {}
        Some(thread) => reply(errand, thread, &text).await?,
        // A review has no thread of its own.
        None => {
            let name = FindingMark::of_issue(outcome.issue).name();
            let marker = Marker::part(errand.context.key(), name);
            let text = format!("In answer to {address}:\n\n{text}");
            comment_once(errand.place, pull.number, &marker, &text).await?;
        }
    }
    Ok(())
}

/// Tries the commits, the newest first: one of them may change the commented
/// lines.
async fn resolve_with_commit(
    errand: &Errand<'_>,
    pull: &Pull,
    thread: &ReviewThread,
    made: &[LogEntry],
) -> Result<bool, Setback> {
    for commit in made.iter().rev() {
        let input = json!({
            "pr": pull.reference(errand),
            "thread": thread.place.id.as_str(),
            "commit": commit.commit.as_str(),
            "key": errand.context.key().as_str(),
        });
        match tools::ask(errand, "resolve_review_thread", &input).await {
            Ok(_) => return Ok(true),
            Err(ToolError::Failed { response, .. })
                if response.category == ErrorCategory::Logical => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

/// Says it once, however often the step is run.
async fn reply(errand: &Errand<'_>, thread: &ReviewThread, text: &str) -> Result<(), Setback> {
    let marker = Marker::of(errand.context.key());
    let is_said = thread
        .comments
        .iter()
        .any(|comment| comment.viewer_did_author && marker.is_in(&comment.body));
    if is_said {
        return Ok(());
    }
    let body = marker.below(text);
    errand
        .place
        .github
        .reply_to_thread(&thread.place.id, &body)
        .await?;
    Ok(())
}
