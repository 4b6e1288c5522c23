//! Reviews: an opinion, and conversations about lines.

mod comments;
mod dismissals;
mod places;
mod placing;
mod threads;

use rusqlite::Transaction;

use crate::actions::pulls::record::Doing;
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::events::{self, NewEvent};
use crate::store::issues;
use crate::store::pulls::Pull;
use crate::store::repositories::{Permission, Repository};
use crate::store::review_threads;
use crate::store::reviews::{self, Review, ReviewState};
use crate::store::users::User;

pub(crate) use comments::{add_comment, edit_comment, reply};
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

pub(crate) async fn create(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    new: NewReview,
) -> Result<Review> {
    let doing = begin(app, caller, repository)?;
    let user = caller.user()?.clone();
    let body = new.body.unwrap_or_default();
    if let Some(opinion) = new.opinion {
        check_opinion(pull, &user, opinion, &body, !new.comments.is_empty())?;
    }
    let commit = placing::commit_of(app, repository, pull, new.commit.as_deref()).await?;
    let placed = placing::place_all(app, repository, pull, &commit, new.comments)
        .await?
        .map_err(|error| ApiError::Sentences(vec![error.sentence()]))?;
    let pull = pull.clone();
    app.write(move |tx| {
        let mine = reviews::for_pull(tx, pull.id(), Some(user.id))?;
        if mine
            .iter()
            .any(|review| review.state == ReviewState::Pending)
        {
            let message = "User can only have one pending review per pull request";
            return Err(unprocessable(message));
        }
        let draft = reviews::NewReview {
            pull_id: pull.id(),
            user_id: user.id,
            body: &body,
            state: new.opinion.map_or(ReviewState::Pending, Opinion::state),
            commit_sha: commit.as_str(),
            at: &doing.at,
        };
        insert(tx, &pull, &draft, &placed, &doing)
    })
    .await
}

/// Submits one's own pending review.
pub(crate) async fn submit(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    pull: &Pull,
    review: Review,
    opinion: Opinion,
    body: Option<String>,
) -> Result<Review> {
    let doing = begin(app, caller, repository)?;
    check_pending(&review, "Can not submit a review that is not pending")?;
    let comments = app.rows(|rows| review_threads::comments_of_review(rows, review.id))?;
    let body = body.unwrap_or(review.body);
    check_opinion(pull, &review.user, opinion, &body, !comments.is_empty())?;
    let (pull, id) = (pull.clone(), review.id);
    app.write(move |tx| {
        reviews::submit(tx, id, opinion.state(), &body, &doing.at)?;
        announce(tx, &pull, id, &doing)?;
        find(tx, id)
    })
    .await
}

/// Deletes one's own pending review.
pub(crate) async fn delete_pending(app: &App, review: &Review) -> Result<()> {
    check_pending(review, "Can not delete a non-pending pull request review")?;
    let id = review.id;
    app.write(move |tx| Ok(reviews::delete(tx, id)?)).await
}

fn check_pending(review: &Review, otherwise: &str) -> Result<()> {
    match review.state {
        ReviewState::Pending => Ok(()),
        _ => Err(unprocessable(otherwise)),
    }
}

/// Writes a review with its comments down.
fn insert(
    tx: &Transaction<'_>,
    pull: &Pull,
    new: &reviews::NewReview<'_>,
    comments: &[Placed],
    doing: &Doing,
) -> Result<Review> {
    let id = reviews::create(tx, new)?;
    for comment in comments {
        comment.insert(tx, pull, id, doing)?;
    }
    if new.state != ReviewState::Pending {
        announce(tx, pull, id, doing)?;
    }
    find(tx, id)
}

/// Tells of a new review and its comments.
fn announce(tx: &Transaction<'_>, pull: &Pull, review_id: i64, doing: &Doing) -> Result<()> {
    let review = find(tx, review_id)?;
    reviews::withdraw_request(tx, pull.id(), review.user.id)?;
    issues::touch(tx, pull.id(), &doing.at)?;
    let tell = |kind, action, id| {
        let repository_id = pull.issue.repository_id;
        event(tx, repository_id, kind, action, id, doing)
    };
    tell("pull_request_review", "submitted", review.id)?;
    for comment in review_threads::comments_of_review(tx, review.id)? {
        tell("pull_request_review_comment", "created", comment.id)?;
    }
    Ok(())
}

fn event(
    tx: &Transaction<'_>,
    repository_id: i64,
    kind: &str,
    action: &str,
    subject_id: i64,
    doing: &Doing,
) -> Result<()> {
    events::record(
        tx,
        &NewEvent {
            repository_id,
            actor_id: doing.actor_id,
            kind,
            action: Some(action),
            subject_id: Some(subject_id),
            data: None,
            at: &doing.at,
        },
    )?;
    Ok(())
}

fn find(tx: &Transaction<'_>, id: i64) -> Result<Review> {
    reviews::by_id(tx, id)?.ok_or(ApiError::NotFound)
}

fn begin(app: &App, caller: &Caller, repository: &Repository) -> Result<Doing> {
    let user = caller.user()?;
    if repository.archived {
        return Err(ApiError::Forbidden(
            "Repository was archived so is read-only.".to_owned(),
        ));
    }
    app.read(|conn| caller.check(conn, repository, Permission::Read))?;
    Ok(Doing::new(app, Some(user.id)))
}

/// What one wrote oneself, or anything for those who may write.
fn check_own(app: &App, caller: &Caller, repository: &Repository, author: &User) -> Result<()> {
    if caller.user()?.id == author.id {
        return Ok(());
    }
    app.read(|conn| caller.check(conn, repository, Permission::Write))
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
