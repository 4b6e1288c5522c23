//! Reviews and their comments as JSON.

use super::{issues, users};
use crate::error::ApiError;
use crate::store::reactions::Subject;
use crate::store::repositories;
use crate::store::review_threads::{self, ReviewComment, Side, Thread};
use crate::store::reviews::Review;
use crate::views::prelude::*;

/// What the row itself says.
pub(crate) fn review_facts(
    view: View<'_>,
    repository: &Repository,
    pull: &Pull,
    review: &Review,
) -> Value {
    let page = view.page(repository, &format!("/pull/{}", pull.number()));
    json!({
        "id": review.id,
        "node_id": node_id(Kind::Review, review.id),
        "body": review.body,
        "state": review.state.as_str(),
        "html_url": format!("{page}#pullrequestreview-{}", review.id),
        "commit_id": review.commit_sha,
    })
}

/// `pull-request-review` in GitHub's description.
pub(crate) fn review(
    view: View<'_>,
    repository: &Repository,
    pull: &Pull,
    review: &Review,
) -> Result<Value> {
    let mut body = review_facts(view, repository, pull, review);
    let api = view.api(repository, &format!("/pulls/{}", pull.number()));
    let association = repositories::association(view.conn, repository, &review.user)?;
    body["user"] = users::simple(view.urls, &review.user);
    body["pull_request_url"] = json!(api);
    body["author_association"] = json!(association);
    body["_links"] =
        json!({ "html": { "href": body["html_url"] }, "pull_request": { "href": api } });
    if let Some(at) = &review.submitted_at {
        body["submitted_at"] = json!(at);
    }
    Ok(body)
}

/// What the row itself and its thread say.
pub(crate) fn comment_facts(
    view: View<'_>,
    repository: &Repository,
    pull: &Pull,
    comment: &ReviewComment,
    thread: &Thread,
) -> Value {
    let page = view.page(repository, &format!("/pull/{}", pull.number()));
    let mut body = json!({
        "id": comment.id,
        "node_id": node_id(Kind::ReviewComment, comment.id),
        "body": comment.body,
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
        "html_url": format!("{page}#discussion_r{}", comment.id),
        "path": thread.path,
        "diff_hunk": thread.diff_hunk,
        "start_line": thread.place.start_line,
        "original_start_line": thread.original_place.start_line,
        "subject_type": thread.subject.as_str(),
    });
    // An outdated comment has no line, a comment on a file never had one; then GitHub's description
    // wants the keys left out.
    for (key, line) in [
        ("line", thread.place.line),
        ("original_line", thread.original_place.line),
    ] {
        if let Some(line) = line {
            body[key] = json!(line);
        }
    }
    body
}

/// `pull-request-review-comment` in GitHub's description.
pub(crate) fn comment(
    view: View<'_>,
    repository: &Repository,
    pull: &Pull,
    comment: &ReviewComment,
) -> Result<Value> {
    let thread = review_threads::by_id(view.conn, comment.thread_id)?;
    let thread = thread.ok_or(ApiError::NotFound)?;
    let api = view.api(repository, &format!("/pulls/comments/{}", comment.id));
    let pull_api = view.api(repository, &format!("/pulls/{}", pull.number()));
    let facts = comment_facts(view, repository, pull, comment, &thread);
    let more = json!({
        "url": api,
        "pull_request_review_id": comment.review_id,
        "user": users::simple(view.urls, &comment.user),
        "pull_request_url": pull_api,
        "author_association":
            repositories::association(view.conn, repository, &comment.user)?,
        "_links": {
            "self": { "href": api },
            "html": { "href": facts["html_url"] },
            "pull_request": { "href": pull_api },
        },
        "reactions": issues::rollup(view, Subject::ReviewComment, comment.id, &api)?,
        "commit_id": thread.commit_sha,
        "original_commit_id": thread.original_commit_sha,
        "original_position": thread.original_place.position.unwrap_or(1),
        "side": thread.side.as_str(),
        "start_side": thread.start_side.map(Side::as_str),
    });
    let mut body = merged(facts, more);
    if let Some(position) = thread.place.position {
        body["position"] = json!(position);
    }
    if let Some(id) = comment.in_reply_to_id {
        body["in_reply_to_id"] = json!(id);
    }
    Ok(body)
}
