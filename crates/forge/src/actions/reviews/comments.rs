//! Comments on lines: writing, answering, taking back.

use super::placing::{CommentError, DraftComment, commit_of, place_all};
use super::{announce, begin, check_own, event, insert};
use crate::actions::pulls::record::Doing;
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::pulls::Pull;
use crate::store::repositories::Repository;
use crate::store::review_threads::{self, NewComment, ReviewComment, Thread};
use crate::store::reviews::{self, NewReview, ReviewState};
use crate::store::users::User;

/// A single comment: a review of its own.
pub(crate) async fn add_comment(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    commit: &str,
    draft: DraftComment,
) -> Result<ReviewComment> {
    let doing = begin(app, caller, repository)?;
    let user = caller.user()?.clone();
    let commit = commit_of(app, repository, pull, Some(commit)).await?;
    let placed = place_all(app, repository, pull, &commit, vec![draft])
        .await?
        .map_err(CommentError::field_error)?;
    let pull = pull.clone();
    app.write(move |tx| {
        let review = new_review(&pull, user.id, commit.as_str(), &doing);
        let review = insert(tx, &pull, &review, &placed, &doing)?;
        let comments = review_threads::comments_of_review(tx, review.id)?;
        comments.into_iter().next().ok_or(ApiError::NotFound)
    })
    .await
}

/// Answers in a conversation.
pub(crate) async fn reply(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    thread: &Thread,
    body: String,
) -> Result<ReviewComment> {
    let doing = begin(app, caller, repository)?;
    let user: User = caller.user()?.clone();
    if body.trim().is_empty() {
        return Err(CommentError::BlankBody.field_error());
    }
    let (pull, thread) = (pull.clone(), thread.clone());
    app.write(move |tx| {
        let earlier = review_threads::comments_of_thread(tx, thread.id)?;
        let first = earlier.first().ok_or(ApiError::NotFound)?.id;
        let review = new_review(&pull, user.id, &pull.head_sha, &doing);
        let review_id = reviews::create(tx, &review)?;
        let id = review_threads::add_comment(
            tx,
            &NewComment {
                thread_id: thread.id,
                review_id,
                in_reply_to_id: Some(first),
                user_id: user.id,
                body: &body,
                at: &doing.at,
            },
        )?;
        announce(tx, &pull, review_id, &doing)?;
        review_threads::comment(tx, id)?.ok_or(ApiError::NotFound)
    })
    .await
}

/// The review that a single comment is part of.
fn new_review<'a>(
    pull: &Pull,
    user_id: i64,
    commit_sha: &'a str,
    doing: &'a Doing,
) -> NewReview<'a> {
    NewReview {
        pull_id: pull.id(),
        user_id,
        body: "",
        state: ReviewState::Commented,
        commit_sha,
        at: &doing.at,
    }
}

pub(crate) async fn edit_comment(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    comment: &ReviewComment,
    body: String,
) -> Result<ReviewComment> {
    let doing = begin(app, caller, repository)?;
    check_own(app, caller, repository, &comment.user)?;
    if body.trim().is_empty() {
        return Err(CommentError::BlankBody.field_error());
    }
    let (id, repository_id) = (comment.id, repository.id);
    app.write(move |tx| {
        review_threads::set_comment_body(tx, id, &body, &doing.at)?;
        let kind = "pull_request_review_comment";
        event(tx, repository_id, kind, "edited", id, &doing)?;
        review_threads::comment(tx, id)?.ok_or(ApiError::NotFound)
    })
    .await
}
