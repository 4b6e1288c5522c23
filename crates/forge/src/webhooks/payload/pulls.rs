//! Payloads about pull requests and reviews.

use rusqlite::Connection;
use serde_json::json;

use super::issues::label_and_assignee;
use super::{Fields, Occasion, fields, object};
use crate::node_id::{Kind, node_id};
use crate::store::pulls::{self as rows, Pull};
use crate::store::{deployments as deployment_rows, review_threads, reviews as review_rows};
use crate::views::{View, commits, deployments, pulls, reviews, users};

pub(super) async fn pull_request(occasion: &Occasion<'_>) -> Fields {
    let Some(pull) = occasion.row(rows::by_id)? else {
        return Ok(None);
    };
    let body = pulls::full(occasion.app, None, &occasion.repository, &pull).await?;
    let mut fields = object(json!({ "number": pull.number() }));
    fields.extend(occasion.changes());
    if occasion.event.action.as_deref() == Some("stacked") {
        fields.insert("stack".to_owned(), body["stack"].clone());
    }
    fields.insert("pull_request".to_owned(), body);
    fields.extend(label_and_assignee(occasion)?);
    for key in ["before", "after", "reason"] {
        if let Some(value) = occasion.data().and_then(|data| data.get(key)) {
            fields.insert(key.to_owned(), value.clone());
        }
    }
    let reviewer = occasion
        .data()
        .map(|data| &data["requested_reviewer"]["id"]);
    if let Some(id) = reviewer.and_then(serde_json::Value::as_i64) {
        let reviewer = occasion.show(|view| users::by_id(view, id))?;
        fields.insert("requested_reviewer".to_owned(), reviewer);
    }
    Ok(Some(fields))
}

/// With the pull request as lists show it, which is what GitHub does in these.
fn within(
    occasion: &Occasion<'_>,
    pull: Option<Pull>,
    body: impl FnOnce(View<'_>, &Pull) -> Result<serde_json::Value, crate::error::ApiError>,
) -> Fields {
    let Some(pull) = pull else {
        return Ok(None);
    };
    occasion.show(|view| {
        let mut fields = occasion.changes();
        fields.extend(object(body(view, &pull)?));
        let pull = pulls::simple(view, None, &occasion.repository, &pull)?;
        fields.insert("pull_request".to_owned(), pull);
        Ok(Some(fields))
    })
}

pub(super) fn review(occasion: &Occasion<'_>) -> Fields {
    let Some(review) = occasion.row(review_rows::by_id)? else {
        return Ok(None);
    };
    let pull = occasion.show(|view| Ok(rows::by_id(view.conn, review.pull_id)?))?;
    within(occasion, pull, |view, pull| {
        let mut body = reviews::review(view, &occasion.repository, pull, &review)?;
        // Only here, GitHub writes the state in small letters.
        body["state"] = json!(review.state.as_str().to_ascii_lowercase());
        Ok(json!({ "review": body }))
    })
}

pub(super) fn review_comment(occasion: &Occasion<'_>) -> Fields {
    let Some(comment) = occasion.row(review_threads::comment)? else {
        return Ok(None);
    };
    let pull = occasion.show(|view| Ok(pull_of_thread(view.conn, comment.thread_id)?))?;
    within(occasion, pull, |view, pull| {
        let body = reviews::comment(view, &occasion.repository, pull, &comment)?;
        Ok(json!({ "comment": body }))
    })
}

pub(super) fn review_thread(occasion: &Occasion<'_>) -> Fields {
    let Some(id) = occasion.event.subject_id else {
        return Ok(None);
    };
    let pull = occasion.row(pull_of_thread)?;
    within(occasion, pull, |view, pull| {
        let comments = review_threads::comments_of_thread(view.conn, id)?;
        let comments = comments
            .iter()
            .map(|comment| reviews::comment(view, &occasion.repository, pull, comment));
        let comments = comments.collect::<Result<Vec<_>, _>>()?;
        let thread = json!({ "node_id": node_id(Kind::ReviewThread, id), "comments": comments });
        Ok(json!({ "thread": thread }))
    })
}

fn pull_of_thread(conn: &Connection, thread_id: i64) -> rusqlite::Result<Option<Pull>> {
    match review_threads::by_id(conn, thread_id)? {
        Some(thread) => rows::by_id(conn, thread.pull_id),
        None => Ok(None),
    }
}

pub(super) async fn merge_group(occasion: &Occasion<'_>) -> Fields {
    let Some(mut group) = occasion.data().cloned() else {
        return Ok(None);
    };
    let sha = group["head_sha"].as_str().unwrap_or_default();
    group["head_commit"] = commits::simple(occasion.app, &occasion.repository, sha).await?;
    fields(json!({ "merge_group": group }))
}

pub(super) fn deployment(occasion: &Occasion<'_>) -> Fields {
    let repository = &occasion.repository;
    let find = |conn: &Connection, id| deployment_rows::by_id(conn, repository.id, id);
    let Some(found) = occasion.row(find)? else {
        return Ok(None);
    };
    occasion.show(|view| {
        let body = deployments::deployment(view, repository, &found);
        fields(json!({ "deployment": body, "workflow": null, "workflow_run": null }))
    })
}

pub(super) fn deployment_status(occasion: &Occasion<'_>) -> Fields {
    let repository = &occasion.repository;
    let Some(status) = occasion.row(deployment_rows::status_by_id)? else {
        return Ok(None);
    };
    occasion.show(|view| {
        let (id, conn) = (status.deployment_id, view.conn);
        let Some(found) = deployment_rows::by_id(conn, repository.id, id)? else {
            return Ok(None);
        };
        fields(json!({
            "deployment_status": deployments::status(view, repository, &status),
            "deployment": deployments::deployment(view, repository, &found),
        }))
    })
}
