//! Comments on lines: writing, answering, taking back.

use super::placing::{CommentError, DraftComment, commit_of, place_all};
use super::{announce, check_own, insert};
use crate::actions::prelude::*;
use crate::store::review_threads::{self, NewComment, ReviewComment, Thread};
use crate::store::reviews::{self, NewReview, ReviewState};

/// A single comment: a review of its own.
pub(crate) async fn add_comment(
    cx: RepoContext<'_>,
    pull: &Pull,
    commit: &str,
    draft: DraftComment,
) -> Result<ReviewComment> {
    cx.allowed_to_change(Permission::Read)?;
    let commit = commit_of(cx, pull, Some(commit)).await?;
    let placed = place_all(cx, pull, &commit, vec![draft])
        .await?
        .map_err(CommentError::field_error)?;
    let pull = pull.clone();
    cx.change(move |change| {
        let review = new_review(change, &pull, commit.as_str());
        let review = insert(change, &pull, &review, &placed)?;
        let comments = review_threads::comments_of_review(change.tx, review.id)?;
        comments.into_iter().next().ok_or(ApiError::NotFound)
    })
    .await
}

/// Answers in a conversation.
pub(crate) async fn reply(
    cx: RepoContext<'_>,
    pull: &Pull,
    thread: &Thread,
    body: String,
) -> Result<ReviewComment> {
    let user_id = cx.allowed_to_change(Permission::Read)?.id;
    check_body(&body)?;
    let (pull, thread_id) = (pull.clone(), thread.id);
    cx.change(move |change| {
        let earlier = review_threads::comments_of_thread(change.tx, thread_id)?;
        let first = earlier.first().ok_or(ApiError::NotFound)?.id;
        let review_id = reviews::create(change.tx, &new_review(change, &pull, &pull.head_sha))?;
        let new = NewComment {
            thread_id,
            review_id,
            in_reply_to_id: Some(first),
            user_id,
            body: &body,
            at: change.at,
        };
        let id = review_threads::add_comment(change.tx, &new)?;
        announce(change, &pull, review_id)?;
        review_threads::comment(change.tx, id)?.ok_or(ApiError::NotFound)
    })
    .await
}

/// The review that a single comment is part of.
fn new_review<'a>(change: Change<'a>, pull: &Pull, commit_sha: &'a str) -> NewReview<'a> {
    NewReview {
        pull_id: pull.id(),
        user_id: change.actor_id.unwrap_or_default(),
        body: "",
        state: ReviewState::Commented,
        commit_sha,
        at: change.at,
    }
}

pub(crate) async fn edit_comment(
    cx: RepoContext<'_>,
    comment: &ReviewComment,
    body: String,
) -> Result<ReviewComment> {
    check_own(cx, &comment.user)?;
    check_body(&body)?;
    let id = comment.id;
    cx.change(move |change| {
        review_threads::set_comment_body(change.tx, id, &body, change.at)?;
        change.event("pull_request_review_comment", "edited", id, None)?;
        review_threads::comment(change.tx, id)?.ok_or(ApiError::NotFound)
    })
    .await
}

pub(crate) async fn delete_comment(cx: RepoContext<'_>, comment: &ReviewComment) -> Result<()> {
    check_own(cx, &comment.user)?;
    let id = comment.id;
    cx.change(move |change| {
        review_threads::delete_comment(change.tx, id)?;
        change.event("pull_request_review_comment", "deleted", id, None)
    })
    .await
}

fn check_body(body: &str) -> Result<()> {
    if body.trim().is_empty() {
        return Err(CommentError::BlankBody.field_error());
    }
    Ok(())
}
