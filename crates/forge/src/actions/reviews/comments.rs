//! Comments on lines: writing, answering, taking back.

use super::placing::{CommentError, DraftComment, commit_of, place_all};
use super::{announce, begin, check_own, event, find, insert};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::pulls::Pull;
use crate::store::repositories::Repository;
use crate::store::review_threads::{self, NewComment, ReviewComment, Thread};
use crate::store::reviews::ReviewState;
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
    app.write(move |transaction| {
        let state = ReviewState::Commented;
        let review_id = insert(
            transaction,
            &pull,
            &user,
            "",
            state,
            commit.as_str(),
            &doing,
        )?;
        let mut id = 0;
        for comment in &placed {
            id = comment.insert(transaction, &pull, review_id, &doing)?;
        }
        let review = find(transaction, review_id)?;
        announce(transaction, &pull, &review, &doing)?;
        review_threads::comment(transaction, id)?.ok_or(ApiError::NotFound)
    })
    .await
}

/// Answers in a conversation: within one's pending review where there is one
/// and `pending` says so, else at once.
pub(crate) async fn reply(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    thread: &Thread,
    body: String,
    pending_review: Option<i64>,
) -> Result<ReviewComment> {
    let doing = begin(app, caller, repository)?;
    let user: User = caller.user()?.clone();
    if body.trim().is_empty() {
        return Err(CommentError::BlankBody.field_error());
    }
    let (pull, thread) = (pull.clone(), thread.clone());
    app.write(move |transaction| {
        let earlier = review_threads::comments_of_thread(transaction, thread.id, Some(user.id))?;
        let first = earlier.first().ok_or(ApiError::NotFound)?.id;
        let review_id = if let Some(id) = pending_review {
            id
        } else {
            let state = ReviewState::Commented;
            insert(transaction, &pull, &user, "", state, &pull.head_sha, &doing)?
        };
        let id = review_threads::add_comment(
            transaction,
            &NewComment {
                thread_id: thread.id,
                review_id,
                in_reply_to_id: Some(first),
                user_id: user.id,
                body: &body,
                at: &doing.at,
            },
        )?;
        if pending_review.is_none() {
            let review = find(transaction, review_id)?;
            announce(transaction, &pull, &review, &doing)?;
        }
        review_threads::comment(transaction, id)?.ok_or(ApiError::NotFound)
    })
    .await
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
    app.write(move |transaction| {
        review_threads::set_comment_body(transaction, id, &body, &doing.at)?;
        let kind = "pull_request_review_comment";
        event(transaction, repository_id, kind, "edited", id, &doing)?;
        review_threads::comment(transaction, id)?.ok_or(ApiError::NotFound)
    })
    .await
}

pub(crate) async fn delete_comment(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    comment: &ReviewComment,
) -> Result<()> {
    let doing = begin(app, caller, repository)?;
    check_own(app, caller, repository, &comment.user)?;
    let (comment, repository_id) = (comment.clone(), repository.id);
    app.write(move |transaction| {
        review_threads::delete_comment(transaction, &comment)?;
        let kind = "pull_request_review_comment";
        event(
            transaction,
            repository_id,
            kind,
            "deleted",
            comment.id,
            &doing,
        )
    })
    .await
}
