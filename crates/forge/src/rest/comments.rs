//! Comments on issues and pull requests, and reactions to comments of all kinds.

use super::issue_filter::in_utc;
use super::prelude::*;
use crate::actions::comments as actions;
use crate::actions::reactions;
use crate::store::comments::{self, Comment};
use crate::store::issues::{self, Issue};
use crate::store::reactions::Subject;
use crate::views::issues::{comment, reaction};

pub(super) fn routes() -> Router<App> {
    const ONE: &str = "/repos/{owner}/{repo}/issues/comments/{comment}";
    Router::new()
        .route(ONE, get(one).patch(update))
        .route(&format!("{ONE}/reactions"), post(react))
        .route(
            "/repos/{owner}/{repo}/issues/{number}/comments",
            get(for_issue).post(create),
        )
}

fn find(call: &Call) -> Result<(Repository, Issue, Comment)> {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("comment")?);
    call.read(|conn| {
        let found = comments::by_id(conn, id)?.ok_or(ApiError::NotFound)?;
        let issue = issues::by_id(conn, found.issue_id)?;
        if issue.repository_id != repository.id {
            return Err(ApiError::NotFound);
        }
        Ok((repository, issue, found))
    })
}

fn find_to_change(call: &Call) -> Result<(Repository, Issue, Comment)> {
    call.repository_to_change(Permission::Read)?;
    find(call)
}

async fn for_issue(call: Call) -> Answer {
    let (repository, issue) = call.issue()?;
    let mut all = call.rows(|conn| comments::for_issue(conn, issue.id))?;
    if let Some(since) = call.get("since") {
        let since = in_utc(since)?;
        all.retain(|found| found.updated_at >= since);
    }
    call.list(all, |view, found| comment(view, &repository, &issue, found))
}

async fn one(call: Call) -> Answer {
    let (repository, issue, found) = find(&call)?;
    call.show(|view| comment(view, &repository, &issue, &found))
}

/// The text of a comment.
pub(super) fn text(call: &Call) -> Result<String> {
    let mut input = call.payload()?;
    let body = input.text("body").unwrap_or_default();
    input.finish()?;
    Ok(body)
}

async fn create(call: Call) -> Answer {
    let body = text(&call)?;
    let (repository, issue) = call.issue_to_change(Permission::Read)?;
    let made = actions::create(call.on(&repository), &issue, body).await?;
    call.show_new(|view| comment(view, &repository, &issue, &made))
}

async fn update(call: Call) -> Answer {
    let body = text(&call)?;
    let (repository, issue, found) = find_to_change(&call)?;
    let updated = actions::update(call.on(&repository), found, body).await?;
    call.show(|view| comment(view, &repository, &issue, &updated))
}

async fn react(call: Call) -> Answer {
    let (repository, _, found) = find(&call)?;
    react_to(&call, &repository, Subject::Comment, found.id).await
}

/// Answers 201 for a new reaction and 200 for one that was there.
pub(super) async fn react_to(
    call: &Call,
    repository: &Repository,
    subject: Subject,
    id: i64,
) -> Answer {
    let mut input = call.payload()?;
    let content = input.text("content").unwrap_or_default();
    input.finish()?;
    let (given, is_new) = reactions::add(call.on(repository), subject, id, content).await?;
    let body = call.app.show(|view| Ok(reaction(view, &given)))?;
    if is_new { created(body) } else { ok(body) }
}
