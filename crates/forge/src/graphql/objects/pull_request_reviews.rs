//! Who has a say in a pull request, and what they said.

use async_graphql::{Context, ID, Object, SimpleObject, Union};

use super::review_thread::PullRequestReviewThread;
use super::{
    Bot, PullRequest, PullRequestReview, PullRequestReviewConnection,
    PullRequestReviewThreadConnection, Team, User,
};
use crate::error::ApiError;
use crate::graphql::access::{access, read};
use crate::graphql::connection::{Connection, Page, connections};
use crate::graphql::enums::PullRequestReviewState;
use crate::graphql::scalars::int;
use crate::node_id::{Kind, named_node_id};
use crate::store::repositories::{self, Permission};
use crate::store::reviews::{self, Review, ReviewState};
use crate::store::users::UserKind;
use crate::store::{code_owner_sets, comments, review_threads};

/// Somebody who was asked for a review.
pub(in crate::graphql) struct ReviewRequest {
    row: reviews::ReviewRequest,
    pull: PullRequest,
}

connections! {
    ReviewRequests: ReviewRequestConnection, ReviewRequestEdge, ReviewRequest;
}

#[derive(Union)]
pub(in crate::graphql) enum RequestedReviewer {
    User(User),
    Bot(Bot),
    Team(Team),
}

#[Object]
impl ReviewRequest {
    async fn as_code_owner(&self) -> bool {
        self.row.as_code_owner
    }

    async fn id(&self) -> ID {
        let name = format!("{}:{}", self.pull.row.id(), self.row.user.id);
        let repository = self.pull.repository.0.id;
        ID(named_node_id(Kind::ReviewRequest, repository, &name))
    }

    async fn pull_request(&self) -> &PullRequest {
        &self.pull
    }

    async fn requested_reviewer(&self) -> Option<RequestedReviewer> {
        let user = self.row.user.clone();
        Some(match user.kind {
            UserKind::Bot => RequestedReviewer::Bot(Bot(user)),
            UserKind::User | UserKind::Organization => RequestedReviewer::User(User(user)),
        })
    }
}

/// Somebody who may know what the change is about.
#[derive(SimpleObject)]
pub(in crate::graphql) struct SuggestedReviewer {
    is_author: bool,
    is_commenter: bool,
    reviewer: User,
}

fn viewer_id(ctx: &Context<'_>) -> Option<i64> {
    access(ctx).caller.user.as_ref().map(|user| user.id)
}

fn of_pull(ctx: &Context<'_>, pull: &PullRequest) -> Result<Vec<Review>, ApiError> {
    let viewer = viewer_id(ctx);
    read(ctx, |connection| {
        Ok(reviews::of_pull(connection, pull.row.id(), viewer)?)
    })
}

fn shown(page: &Page, pull: &PullRequest, rows: Vec<Review>) -> PullRequestReviewConnection {
    let node = |row| PullRequestReview::new(row, pull.clone());
    Connection::of(page, rows, |row| row.id, node)
}

pub(super) fn reviews(
    ctx: &Context<'_>,
    page: &Page,
    pull: &PullRequest,
    states: Option<&[PullRequestReviewState]>,
    author: Option<&str>,
) -> Result<PullRequestReviewConnection, ApiError> {
    let mut rows = of_pull(ctx, pull)?;
    if let Some(states) = states {
        rows.retain(|row| states.contains(&row.state.into()));
    }
    if let Some(author) = author {
        rows.retain(|row| row.user.login.eq_ignore_ascii_case(author));
    }
    Ok(shown(page, pull, rows))
}

/// The newest of everybody, whatever it says; those whose review is asked for
/// again are left out, as at GitHub.
pub(super) fn latest(
    ctx: &Context<'_>,
    page: &Page,
    pull: &PullRequest,
) -> Result<PullRequestReviewConnection, ApiError> {
    let asked = read(ctx, |connection| {
        Ok(reviews::requests(connection, pull.row.id())?)
    })?;
    let mut latest: Vec<Review> = Vec::new();
    for review in of_pull(ctx, pull)? {
        let again = asked
            .iter()
            .any(|request| request.user.id == review.user.id);
        if review.state == ReviewState::Pending || again {
            continue;
        }
        latest.retain(|known| known.user.id != review.user.id);
        latest.push(review);
    }
    Ok(shown(page, pull, latest))
}

pub(super) fn latest_opinions(
    ctx: &Context<'_>,
    page: &Page,
    pull: &PullRequest,
    writers_only: bool,
) -> Result<PullRequestReviewConnection, ApiError> {
    let rows = read(ctx, |connection| {
        let mut rows = reviews::latest_opinions(connection, pull.row.id())?;
        if writers_only {
            let mut writers = Vec::new();
            for row in rows {
                let repository = &pull.repository.0;
                let given = repositories::permission(connection, repository, Some(&row.user))?;
                if given >= Permission::Write {
                    writers.push(row);
                }
            }
            rows = writers;
        }
        Ok(rows)
    })?;
    Ok(shown(page, pull, rows))
}

pub(super) fn of_viewer(
    ctx: &Context<'_>,
    pull: &PullRequest,
) -> Result<Option<PullRequestReview>, ApiError> {
    let viewer = viewer_id(ctx);
    let rows = of_pull(ctx, pull)?;
    let newest = rows.into_iter().rfind(|row| Some(row.user.id) == viewer);
    Ok(newest.map(|row| PullRequestReview::new(row, pull.clone())))
}

pub(super) fn requests(
    ctx: &Context<'_>,
    page: &Page,
    pull: &PullRequest,
) -> Result<ReviewRequestConnection, ApiError> {
    let rows = read(ctx, |connection| {
        Ok(reviews::requests(connection, pull.row.id())?)
    })?;
    let node = |row| ReviewRequest {
        row,
        pull: pull.clone(),
    };
    Ok(Connection::of(page, rows, |row| row.user.id, node))
}

pub(super) fn threads(
    ctx: &Context<'_>,
    page: &Page,
    pull: &PullRequest,
) -> Result<PullRequestReviewThreadConnection, ApiError> {
    let viewer = viewer_id(ctx);
    let rows = read(ctx, |connection| {
        Ok(review_threads::of_pull(connection, pull.row.id(), viewer)?)
    })?;
    let node = |row| PullRequestReviewThread::new(row, pull.clone());
    Ok(Connection::of(page, rows, |row| row.id, node))
}

/// Comments of the conversation and in threads.
pub(super) fn count_comments(ctx: &Context<'_>, pull: &PullRequest) -> Result<i32, ApiError> {
    let (said, in_threads) = read(ctx, |connection| {
        let id = pull.row.id();
        Ok((
            comments::count(connection, id)?,
            review_threads::count_of_pull(connection, id)?,
        ))
    })?;
    Ok(int(said + i64::try_from(in_threads).unwrap_or(i64::MAX)))
}

/// The code owners of the changed files, and whoever took part; never the
/// author, nor who was asked already.
pub(super) fn suggested(
    ctx: &Context<'_>,
    pull: &PullRequest,
) -> Result<Vec<Option<SuggestedReviewer>>, ApiError> {
    let id = pull.row.id();
    let (owners, asked, said) = read(ctx, |connection| {
        let owners = code_owner_sets::of_pull(connection, id)?;
        let asked = reviews::requests(connection, id)?;
        let said = comments::of_issue(connection, id)?;
        Ok((owners, asked, said))
    })?;
    let mut found: Vec<SuggestedReviewer> = Vec::new();
    for owner in owners.into_iter().flatten() {
        let known = found.iter().any(|known| known.reviewer.0.id == owner.id)
            || asked.iter().any(|request| request.user.id == owner.id);
        if known || owner.id == pull.row.issue.author_id || owner.kind != UserKind::User {
            continue;
        }
        found.push(SuggestedReviewer {
            is_author: false,
            is_commenter: said.iter().any(|comment| comment.author_id == owner.id),
            reviewer: User(owner),
        });
    }
    Ok(found.into_iter().map(Some).collect())
}
