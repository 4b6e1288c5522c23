//! Reviews of a pull request.

use super::payload::Payload;
use super::prelude::*;
use crate::actions::reviews::{self as actions, DraftComment, NewReview, Opinion};
use crate::store::pulls::Pull;
use crate::store::review_threads::{self, Side, Subject};
use crate::store::reviews::{self, Review};
use crate::views::reviews::{comment, review};

pub(super) fn routes() -> Router<App> {
    const ALL: &str = "/repos/{owner}/{repo}/pulls/{number}/reviews";
    Router::new()
        .route(ALL, get(list).post(create))
        .route(&format!("{ALL}/{{review}}"), get(one).delete(remove))
        .route(&format!("{ALL}/{{review}}/comments"), get(comments))
        .route(&format!("{ALL}/{{review}}/dismissals"), put(dismiss))
        .route(&format!("{ALL}/{{review}}/events"), post(submit))
}

fn find(call: &Call) -> Result<(Repository, Pull, Review)> {
    let ((repository, pull), id) = (call.pull()?, call.number("review")?);
    let review = call.rows(|conn| reviews::by_id(conn, id))?;
    let viewer = call.caller.user_id();
    let review =
        review.filter(|review| review.pull_id == pull.id() && review.is_visible_to(viewer));
    Ok((repository, pull, review.ok_or(ApiError::NotFound)?))
}

fn find_to_change(call: &Call) -> Result<(Repository, Pull, Review)> {
    call.repository_to_change(Permission::Read)?;
    find(call)
}

/// A comment on some lines, before it is placed.
pub(super) fn draft(input: &mut Payload) -> Result<DraftComment> {
    let resource = "PullRequestReviewComment";
    let missing = |field| ApiError::invalid(resource, field, "missing_field", None);
    let invalid = |field| ApiError::invalid(resource, field, "invalid", None);
    let side = |text: Option<String>, field| match text {
        None => Ok(None),
        Some(text) => Side::parse(&text).map(Some).ok_or_else(|| invalid(field)),
    };
    let subject = match input.text("subject_type").as_deref() {
        None => Subject::Line,
        Some(text) => Subject::parse(text).ok_or_else(|| invalid("subject_type"))?,
    };
    // GitHub's description names this value; it means nothing.
    let start_side = input.text("start_side").filter(|side| side != "side");
    Ok(DraftComment {
        path: input.text("path").ok_or_else(|| missing("path"))?,
        body: input.text("body").ok_or_else(|| missing("body"))?,
        position: input.line("position"),
        line: input.line("line"),
        side: side(input.text("side"), "side")?.unwrap_or(Side::Right),
        start_line: input.line("start_line"),
        start_side: side(start_side, "start_side")?,
        subject,
    })
}

fn opinion(text: &str) -> Result<Opinion> {
    Opinion::parse(text).ok_or_else(|| {
        let event = "Variable $event of type PullRequestReviewEvent was provided invalid value";
        ApiError::Sentences(vec![event.to_owned()])
    })
}

async fn list(call: Call) -> Answer {
    let (repository, pull) = call.pull()?;
    let all = call.rows(|conn| reviews::for_pull(conn, pull.id(), call.caller.user_id()))?;
    call.list(all, |view, found| review(view, &repository, &pull, found))
}

async fn create(call: Call) -> Answer {
    let mut input = call.payload()?;
    let mut comments = Vec::new();
    for mut item in input.objects("comments").unwrap_or_default() {
        comments.push(draft(&mut item)?);
        input.absorb(item);
    }
    let new = NewReview {
        commit: input.text("commit_id"),
        body: input.text("body"),
        opinion: input.text("event").as_deref().map(opinion).transpose()?,
        comments,
    };
    input.finish()?;
    let (repository, pull) = call.pull_to_change()?;
    let made = actions::create(call.on(&repository), &pull, new).await?;
    call.show(|view| review(view, &repository, &pull, &made))
}

async fn one(call: Call) -> Answer {
    let (repository, pull, found) = find(&call)?;
    call.show(|view| review(view, &repository, &pull, &found))
}

/// Submits a pending review.
async fn submit(call: Call) -> Answer {
    let mut input = call.payload()?;
    let (event, body) = (input.text("event").unwrap_or_default(), input.text("body"));
    input.finish()?;
    let (repository, pull, found) = find_to_change(&call)?;
    let opinion = opinion(&event)?;
    let found = actions::submit(call.on(&repository), &pull, found, opinion, body).await?;
    call.show(|view| review(view, &repository, &pull, &found))
}

/// Deletes a pending review.
async fn remove(call: Call) -> Answer {
    let (repository, pull, found) = find_to_change(&call)?;
    let gone = call.show(|view| review(view, &repository, &pull, &found))?;
    actions::delete_pending(call.on(&repository), &found).await?;
    Ok(gone)
}

async fn dismiss(call: Call) -> Answer {
    let mut input = call.payload()?;
    let message = input.text("message").filter(|text| !text.trim().is_empty());
    input.finish()?;
    let (repository, pull, found) = find_to_change(&call)?;
    let missing = || ApiError::Sentences(vec!["message is missing".to_owned()]);
    let message = message.ok_or_else(missing)?;
    let found = actions::dismiss(call.on(&repository), &pull, &found, message).await?;
    call.show(|view| review(view, &repository, &pull, &found))
}

async fn comments(call: Call) -> Answer {
    let (repository, pull, found) = find(&call)?;
    let all = call.rows(|conn| review_threads::comments_of_review(conn, found.id))?;
    call.list(all, |view, found| {
        let mut body = comment(view, &repository, &pull, found)?;
        // Here, unlike elsewhere, the position is always there.
        if body["position"].is_null() {
            body["position"] = Value::Null;
        }
        Ok(body)
    })
}
