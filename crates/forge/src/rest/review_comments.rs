//! Comments on the lines of a pull request.

use super::comments::{react_to, text};
use super::issue_filter::in_utc;
use super::prelude::*;
use super::reviews::draft;
use crate::actions::reviews as actions;
use crate::store::pulls::{self, Pull};
use crate::store::reactions::Subject;
use crate::store::review_threads::{self, ReviewComment};
use crate::store::reviews;
use crate::views::reviews::comment;

pub(super) fn routes() -> Router<App> {
    const OF_PULL: &str = "/repos/{owner}/{repo}/pulls/{number}/comments";
    const ONE: &str = "/repos/{owner}/{repo}/pulls/comments/{comment}";
    Router::new()
        .route(ONE, get(one).patch(update).delete(remove))
        .route(&format!("{ONE}/reactions"), post(react))
        .route(OF_PULL, get(for_pull).post(create))
        .route(&format!("{OF_PULL}/{{comment}}/replies"), post(reply))
}

fn find(call: &Call) -> Result<(Repository, Pull, ReviewComment)> {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("comment")?);
    call.read(|conn| {
        let comment = review_threads::comment(conn, id)?.ok_or(ApiError::NotFound)?;
        let review = reviews::by_id(conn, comment.review_id)?.ok_or(ApiError::NotFound)?;
        let pull = pulls::by_id(conn, review.pull_id)?.ok_or(ApiError::NotFound)?;
        let visible = review.is_visible_to(call.caller.user_id());
        if pull.issue.repository_id != repository.id || !visible {
            return Err(ApiError::NotFound);
        }
        Ok((repository, pull, comment))
    })
}

fn find_to_change(call: &Call) -> Result<(Repository, Pull, ReviewComment)> {
    call.repository_to_change(Permission::Read)?;
    find(call)
}

/// Oldest first unless asked for otherwise.
async fn for_pull(call: Call) -> Answer {
    let (repository, pull) = call.pull()?;
    let mut all = call.rows(|conn| review_threads::comments_of_pull(conn, pull.id()))?;
    if let Some(since) = call.get("since") {
        let since = in_utc(since)?;
        all.retain(|found| found.updated_at >= since);
    }
    if call.get("sort") == Some("updated") {
        all.sort_by(|one, other| one.updated_at.cmp(&other.updated_at));
    }
    if call.get("direction") == Some("desc") {
        all.reverse();
    }
    call.list(all, |view, found| comment(view, &repository, &pull, found))
}

async fn create(call: Call) -> Answer {
    let mut input = call.payload()?;
    if let Some(id) = input.integer("in_reply_to") {
        return reply_to(&call, id).await;
    }
    let missing = || {
        ApiError::invalid(
            "PullRequestReviewComment",
            "commit_id",
            "missing_field",
            None,
        )
    };
    let commit = input.text("commit_id").ok_or_else(missing)?;
    let draft = draft(&mut input)?;
    input.finish()?;
    let (repository, pull) = call.pull_to_change()?;
    let made = actions::add_comment(call.on(&repository), &pull, &commit, draft).await?;
    call.show_new(|view| comment(view, &repository, &pull, &made))
}

async fn reply(call: Call) -> Answer {
    let id = call.number("comment")?;
    reply_to(&call, id).await
}

async fn reply_to(call: &Call, id: i64) -> Answer {
    let body = text(call)?;
    let (repository, pull) = call.pull_to_change()?;
    let thread = call.read(|conn| {
        let earlier = review_threads::comment(conn, id)?.ok_or(ApiError::NotFound)?;
        let thread = review_threads::by_id(conn, earlier.thread_id)?;
        let thread = thread.filter(|thread| thread.pull_id == pull.id());
        thread.ok_or(ApiError::NotFound)
    })?;
    let made = actions::reply(call.on(&repository), &pull, &thread, body).await?;
    call.show_new(|view| comment(view, &repository, &pull, &made))
}

async fn one(call: Call) -> Answer {
    let (repository, pull, found) = find(&call)?;
    call.show(|view| comment(view, &repository, &pull, &found))
}

async fn update(call: Call) -> Answer {
    let body = text(&call)?;
    let (repository, pull, found) = find_to_change(&call)?;
    let found = actions::edit_comment(call.on(&repository), &found, body).await?;
    call.show(|view| comment(view, &repository, &pull, &found))
}

async fn remove(call: Call) -> Answer {
    let (repository, _, found) = find_to_change(&call)?;
    actions::delete_comment(call.on(&repository), &found).await?;
    no_content()
}

async fn react(call: Call) -> Answer {
    let (repository, _, found) = find_to_change(&call)?;
    react_to(&call, &repository, Subject::ReviewComment, found.id).await
}
