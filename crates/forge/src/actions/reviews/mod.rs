//! Reviews: an opinion, and conversations about lines.

mod comments;
mod dismissals;
mod places;
mod placing;
mod threads;

use crate::actions::prelude::*;
use crate::store::reviews::{self, Review, ReviewState};
use crate::store::{issues, review_threads};

pub(crate) use comments::{add_comment, delete_comment, edit_comment, reply};
pub(crate) use dismissals::{dismiss, dismiss_stale};
pub(crate) use places::{Moves, replace_threads};
pub(crate) use placing::DraftComment;
use placing::Placed;
pub(crate) use threads::set_resolved;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opinion {
    Approve,
    RequestChanges,
    Comment,
}

impl Opinion {
    /// GitHub's word in both APIs.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "APPROVE" => Some(Self::Approve),
            "REQUEST_CHANGES" => Some(Self::RequestChanges),
            "COMMENT" => Some(Self::Comment),
            _ => None,
        }
    }

    fn state(self) -> ReviewState {
        match self {
            Self::Approve => ReviewState::Approved,
            Self::RequestChanges => ReviewState::ChangesRequested,
            Self::Comment => ReviewState::Commented,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct NewReview {
    /// The newest commit when not given.
    pub(crate) commit: Option<String>,
    pub(crate) body: Option<String>,
    /// Pending without one.
    pub(crate) opinion: Option<Opinion>,
    pub(crate) comments: Vec<DraftComment>,
}

pub(crate) async fn create(cx: RepoContext<'_>, pull: &Pull, new: NewReview) -> Result<Review> {
    let user = cx.allowed_to_change(Permission::Read)?;
    let (user_id, body) = (user.id, new.body.unwrap_or_default());
    if let Some(opinion) = new.opinion {
        check_opinion(pull, user, opinion, &body, !new.comments.is_empty())?;
    }
    let commit = placing::commit_of(cx, pull, new.commit.as_deref()).await?;
    let placed = placing::place_all(cx, pull, &commit, new.comments)
        .await?
        .map_err(|error| ApiError::Sentences(vec![error.sentence()]))?;
    let pull = pull.clone();
    cx.change(move |change| {
        let mine = reviews::for_pull(change.tx, pull.id(), Some(user_id))?;
        if mine
            .iter()
            .any(|review| review.state == ReviewState::Pending)
        {
            let message = "User can only have one pending review per pull request";
            return Err(unprocessable(message));
        }
        let draft = reviews::NewReview {
            pull_id: pull.id(),
            user_id,
            body: &body,
            state: new.opinion.map_or(ReviewState::Pending, Opinion::state),
            commit_sha: commit.as_str(),
            at: change.at,
        };
        insert(change, &pull, &draft, &placed)
    })
    .await
}

/// Submits one's own pending review.
pub(crate) async fn submit(
    cx: RepoContext<'_>,
    pull: &Pull,
    review: Review,
    opinion: Opinion,
    body: Option<String>,
) -> Result<Review> {
    let user = cx.allowed_to_change(Permission::Read)?;
    check_pending(&review, "Can not submit a review that is not pending")?;
    let comments = cx
        .app
        .rows(|conn| review_threads::comments_of_review(conn, review.id))?;
    let body = body.unwrap_or(review.body);
    check_opinion(pull, user, opinion, &body, !comments.is_empty())?;
    let (pull, id) = (pull.clone(), review.id);
    cx.change(move |change| {
        reviews::submit(change.tx, id, opinion.state(), &body, change.at)?;
        announce(change, &pull, id)?;
        find(change.tx, id)
    })
    .await
}

/// Deletes one's own pending review.
pub(crate) async fn delete_pending(cx: RepoContext<'_>, review: &Review) -> Result<()> {
    cx.allowed_to_change(Permission::Read)?;
    check_pending(review, "Can not delete a non-pending pull request review")?;
    let id = review.id;
    cx.change(move |change| Ok(reviews::delete(change.tx, id)?))
        .await
}

fn check_pending(review: &Review, otherwise: &str) -> Result<()> {
    match review.state {
        ReviewState::Pending => Ok(()),
        _ => Err(unprocessable(otherwise)),
    }
}

/// Writes a review with its comments down.
fn insert(
    change: Change<'_>,
    pull: &Pull,
    new: &reviews::NewReview<'_>,
    comments: &[Placed],
) -> Result<Review> {
    let id = reviews::create(change.tx, new)?;
    for comment in comments {
        comment.insert(change, pull, id)?;
    }
    if new.state != ReviewState::Pending {
        announce(change, pull, id)?;
    }
    find(change.tx, id)
}

/// Tells of a new review and its comments.
fn announce(change: Change<'_>, pull: &Pull, review_id: i64) -> Result<()> {
    let review = find(change.tx, review_id)?;
    reviews::withdraw_request(change.tx, pull.id(), review.user.id)?;
    issues::touch(change.tx, pull.id(), change.at)?;
    change.event("pull_request_review", "submitted", review.id, None)?;
    for comment in review_threads::comments_of_review(change.tx, review.id)? {
        change.event("pull_request_review_comment", "created", comment.id, None)?;
    }
    Ok(())
}

fn find(tx: &Transaction<'_>, id: i64) -> Result<Review> {
    reviews::by_id(tx, id)?.ok_or(ApiError::NotFound)
}

/// What one wrote oneself, or anything for those who may write.
fn check_own(cx: RepoContext<'_>, author: &User) -> Result<()> {
    let user = cx.allowed_to_change(Permission::Read)?;
    if user.id != author.id {
        cx.allowed(Permission::Write)?;
    }
    Ok(())
}

fn check_opinion(
    pull: &Pull,
    user: &User,
    opinion: Opinion,
    body: &str,
    has_comments: bool,
) -> Result<()> {
    let own = user.id == pull.issue.author_id;
    let says_nothing = body.trim().is_empty() && !has_comments;
    match opinion {
        Opinion::Approve if own => Err(unprocessable("Can not approve your own pull request")),
        Opinion::RequestChanges if own => Err(unprocessable(
            "Can not request changes on your own pull request",
        )),
        Opinion::RequestChanges if says_nothing => Err(unprocessable(
            "You need to leave a comment indicating the requested changes.",
        )),
        Opinion::Comment if says_nothing => Err(unprocessable("Review body can't be blank")),
        _ => Ok(()),
    }
}

fn unprocessable(message: &str) -> ApiError {
    ApiError::Sentences(vec![message.to_owned()])
}
