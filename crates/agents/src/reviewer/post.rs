//! The review on the pull request: one for each step, whatever happens in
//! between.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use baton_remote::github::enums::DiffSide;
use baton_remote::github::questions::review_discussion::{ReviewDiscussion, ReviewThread};
use baton_remote::github::resources::reviews::{
    NewReview, NewReviewComment, Review as Posted, Verdict,
};
use baton_remote::github::{GitHubError, GitHubErrorKind};

use super::{Change, Review, anchor};
use crate::AgentStep;
use crate::foreign_text::{in_markdown, one_line};
use crate::marker::{Marker, is_same};
use crate::people;
use crate::pull::Pull;
use crate::review_comment::{FindingMark, ReviewComment};
use crate::step_error::StepError;
use crate::tools;

/// More threads than this help no one; the rest is in the text of the review.
const MAX_THREADS: usize = 40;
/// A forge takes no text without end.
const MAX_LISTED: usize = 30;
const MAX_NOTES: usize = 10;

/// The review that this step has given already.
pub(super) async fn find(step: &AgentStep<'_>, pull: &Pull) -> Result<Option<Posted>, StepError> {
    let place = step.place;
    let marker = Marker::for_key(step.context.key());
    let mut reviews = place
        .github
        .reviews(&place.repository, pull.number)
        .await?
        .items;
    reviews.retain(|review| marker.is_in(&review.body));
    if reviews.is_empty() {
        return Ok(None);
    }
    let viewer = place.github.viewer().await?;
    Ok(reviews
        .into_iter()
        .find(|review| is_same(review.user.as_ref(), &viewer)))
}

/// Gives the review, unless it was given, and closes the threads of earlier
/// rounds that it settles.
pub(super) async fn settle(
    step: &AgentStep<'_>,
    pull: &Pull,
    review: &Review,
    change: &Change,
    posted: Option<Posted>,
) -> Result<(), StepError> {
    let place = step.place;
    let discussion = place
        .github
        .review_discussion(&place.repository, pull.number)
        .await?;
    let open = open_threads(&discussion);
    if posted.is_none() {
        give(step, pull, review, change, &open).await?;
    }
    let found: BTreeSet<FindingMark> = review
        .comments
        .iter()
        .filter(|comment| comment.is_blocking() || review.is_blocking())
        .map(ReviewComment::mark)
        .collect();
    for (mark, thread) in &open {
        if !found.contains(mark) {
            let is_left = review
                .comments
                .iter()
                .any(|comment| comment.mark() == *mark);
            let reason = if is_left {
                "It is a suggestion, and does not stand in the way.".to_owned()
            } else {
                format!(
                    "The review of {} does not find it any more.",
                    review.head.short()
                )
            };
            tools::resolve_thread(step, pull, thread, None, &reason).await?;
        }
    }
    Ok(())
}

/// Our own threads about findings that no one has resolved.
pub(crate) fn open_threads(discussion: &ReviewDiscussion) -> Vec<(FindingMark, &ReviewThread)> {
    let threads = discussion.threads.iter();
    let ours = threads.filter_map(|thread| {
        let first = thread.comments.first()?;
        let is_open = first.viewer_did_author && !thread.place.is_resolved;
        let mark = FindingMark::in_comment(&first.body)?;
        is_open.then_some((mark, thread))
    });
    ours.collect()
}

async fn give(
    step: &AgentStep<'_>,
    pull: &Pull,
    review: &Review,
    change: &Change,
    open: &[(FindingMark, &ReviewThread)],
) -> Result<(), StepError> {
    let viewer = step.place.github.viewer().await?;
    let wanted = match (
        is_same(pull.now.user.as_ref(), &viewer),
        review.is_blocking(),
    ) {
        // No one may judge a pull request of their own.
        (true, _) => Verdict::Comment,
        (false, true) => Verdict::RequestChanges,
        (false, false) => Verdict::Approve,
    };
    // Rules of a forge may forbid a verdict, or it may not show a line.
    let ways = [
        (wanted, MAX_THREADS),
        (Verdict::Comment, MAX_THREADS),
        (Verdict::Comment, 0),
    ];
    let mut refusal = None;
    for (index, (verdict, threads)) in ways.iter().enumerate() {
        if ways[..index].contains(&(*verdict, *threads)) {
            continue;
        }
        let (threads, listed) = sorted(review, change, open, *threads);
        match create(step, pull, review, *verdict, &threads, &listed).await {
            Err(error) if is_refused(&error) => refusal = Some(error),
            given => return Ok(given?),
        }
    }
    refusal.map_or(Ok(()), |refusal| Err(refusal.into()))
}

async fn create(
    step: &AgentStep<'_>,
    pull: &Pull,
    review: &Review,
    verdict: Verdict,
    threads: &Threads<'_>,
    listed: &[(&ReviewComment, Option<String>)],
) -> Result<(), GitHubError> {
    let texts: Vec<String> = threads
        .iter()
        .map(|(comment, _)| comment.comment())
        .collect();
    let comments = threads
        .iter()
        .zip(&texts)
        .map(|((comment, lines), body)| NewReviewComment {
            path: &comment.path,
            line: lines.0,
            start_line: lines.1,
            side: DiffSide::Right,
            body,
        });
    let body = Marker::for_key(step.context.key()).below(&body(review, listed));
    let new = NewReview {
        commit: &review.head,
        verdict,
        body: &body,
        comments: comments.collect(),
    };
    let place = step.place;
    let created = place
        .github
        .create_review(&place.repository, pull.number, &new);
    match created.await {
        // After a lost answer the review may be there.
        Err(error) if error.is_transient() => match find(step, pull).await {
            Ok(Some(_)) => Ok(()),
            _ => Err(error),
        },
        created => created.map(drop),
    }
}

fn is_refused(error: &GitHubError) -> bool {
    matches!(
        error.kind(),
        GitHubErrorKind::Invalid { .. } | GitHubErrorKind::NotPermitted { .. }
    )
}

type Threads<'r> = Vec<(&'r ReviewComment, anchor::Lines)>;

/// What becomes a thread, and what is only listed: it has no line in the diff,
/// has a thread already, or does not stand in the way of an approval.
fn sorted<'r>(
    review: &'r Review,
    change: &Change,
    open: &[(FindingMark, &ReviewThread)],
    most: usize,
) -> (Threads<'r>, Vec<(&'r ReviewComment, Option<String>)>) {
    let (mut threads, mut listed) = (Vec::new(), Vec::new());
    for comment in &review.comments {
        let mark = comment.mark();
        let known = open.iter().find(|(known, _)| *known == mark);
        let link = known.and_then(|(_, thread)| Some(thread.comments.first()?.url.clone()));
        let link = link.or_else(|| people::address_of(comment).map(str::to_owned));
        match anchor::find(comment, &change.diff) {
            Some(lines) if link.is_none() && review.is_blocking() && threads.len() < most => {
                threads.push((comment, lines));
            }
            _ => listed.push((comment, link)),
        }
    }
    (threads, listed)
}

fn body(review: &Review, listed: &[(&ReviewComment, Option<String>)]) -> String {
    let verdict = if review.is_blocking() {
        "Changes requested"
    } else {
        "Approved"
    };
    let mut text = format!("**{verdict}** ({}) for {}", review.counts(), review.head);
    for (comment, link) in listed.iter().take(MAX_LISTED) {
        let place = comment.location();
        let place = place.map(|place| format!(" {}", in_markdown(place.as_str())));
        let words = match comment.why.as_str() {
            "" => in_markdown(&comment.what),
            why => in_markdown(&format!("{} – {why}", comment.what)),
        };
        let still = link.as_ref().map(|link| format!(" ([still open]({link}))"));
        write!(
            text,
            "\n- **{}**{}: {words}{}",
            comment.severity,
            place.unwrap_or_default(),
            still.unwrap_or_default()
        )
        .expect("a string takes all text");
    }
    if listed.len() > MAX_LISTED {
        let more = listed.len() - MAX_LISTED;
        write!(text, "\n- and {more} more").expect("a string takes all text");
    }
    for note in review.notes.iter().take(MAX_NOTES) {
        write!(text, "\n- {}", in_markdown(&one_line(note, 300))).expect("a string takes all text");
    }
    text
}
