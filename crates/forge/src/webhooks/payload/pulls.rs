use serde_json::{Map, Value, json};

use super::issues::label_and_assignee;
use super::{Occasion, fields};
use crate::error::ApiError;
use crate::git::Person;
use crate::node_id::{Kind, node_id};
use crate::rest::{deployments, pulls, review_comments, reviews, users};
use crate::store::deployments as deployment_rows;
use crate::store::pulls::{self as pull_rows, Pull};
use crate::store::review_threads as thread_rows;
use crate::store::reviews as review_rows;
use crate::store::users as user_rows;

type Told = Result<Option<Map<String, Value>>, ApiError>;

pub(super) async fn pull_request(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let Some(pull) = occasion.show(|view| Ok(pull_rows::by_id(view.connection, id)?))? else {
        return Ok(None);
    };
    let body = pulls::full(occasion.app, None, &occasion.repository, &pull).await?;
    let mut told = fields(json!({ "number": pull.number() }));
    told.extend(occasion.changes());
    told.insert("pull_request".to_owned(), body);
    told.extend(label_and_assignee(occasion)?);
    for key in ["before", "after", "reason"] {
        if let Some(value) = occasion.data().and_then(|data| data.get(key)) {
            told.insert(key.to_owned(), value.clone());
        }
    }
    let reviewer = occasion
        .data()
        .and_then(|data| data.get("requested_reviewer"));
    if let Some(id) = reviewer.and_then(|reviewer| reviewer["id"].as_i64()) {
        let reviewer = occasion.show(|view| {
            let user = user_rows::by_id(view.connection, id)?;
            Ok(users::simple(view.urls, &user))
        })?;
        told.insert("requested_reviewer".to_owned(), reviewer);
    }
    Ok(Some(told))
}

/// In these, GitHub shows the pull request as lists do.
fn shown_in_lists(occasion: &Occasion<'_>, pull: &Pull) -> Result<Value, ApiError> {
    occasion.show(|view| pulls::simple(view, None, &occasion.repository, pull))
}

pub(super) fn review(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let found = occasion.show(|view| {
        let Some(review) = review_rows::by_id(view.connection, id)? else {
            return Ok(None);
        };
        let Some(pull) = pull_rows::by_id(view.connection, review.pull_id)? else {
            return Ok(None);
        };
        let mut body = reviews::review(view, &occasion.repository, &pull, &review)?;
        // Only here, GitHub writes the state in small letters.
        body["state"] = json!(review.state.as_str().to_ascii_lowercase());
        Ok(Some((pull, body)))
    })?;
    let Some((pull, review)) = found else {
        return Ok(None);
    };
    let mut told = occasion.changes();
    told.extend(fields(json!({
        "review": review,
        "pull_request": shown_in_lists(occasion, &pull)?,
    })));
    Ok(Some(told))
}

pub(super) fn review_comment(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let found = occasion.show(|view| {
        let Some(comment) = thread_rows::comment(view.connection, id)? else {
            return Ok(None);
        };
        let Some(pull) = pull_of_thread(view.connection, comment.thread_id)? else {
            return Ok(None);
        };
        let body = review_comments::comment(view, &occasion.repository, &pull, &comment)?;
        Ok(Some((pull, body)))
    })?;
    let Some((pull, comment)) = found else {
        return Ok(None);
    };
    let mut told = occasion.changes();
    told.extend(fields(json!({
        "comment": comment,
        "pull_request": shown_in_lists(occasion, &pull)?,
    })));
    Ok(Some(told))
}

pub(super) fn review_thread(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let found = occasion.show(|view| {
        let Some(pull) = pull_of_thread(view.connection, id)? else {
            return Ok(None);
        };
        let comments = thread_rows::comments_of_thread(view.connection, id, None)?;
        let comments: Result<Vec<_>, _> = comments
            .iter()
            .map(|comment| review_comments::comment(view, &occasion.repository, &pull, comment))
            .collect();
        Ok(Some((pull, comments?)))
    })?;
    let Some((pull, comments)) = found else {
        return Ok(None);
    };
    Ok(Some(fields(json!({
        "thread": { "node_id": node_id(Kind::ReviewThread, id), "comments": comments },
        "pull_request": shown_in_lists(occasion, &pull)?,
    }))))
}

fn pull_of_thread(
    connection: &rusqlite::Connection,
    thread_id: i64,
) -> Result<Option<Pull>, ApiError> {
    match thread_rows::by_id(connection, thread_id)? {
        Some(thread) => Ok(pull_rows::by_id(connection, thread.pull_id)?),
        None => Ok(None),
    }
}

pub(super) async fn merge_group(occasion: &Occasion<'_>) -> Told {
    let Some(mut group) = occasion.data().cloned() else {
        return Ok(None);
    };
    let sha = group["head_sha"].as_str().unwrap_or_default();
    let git = occasion.app.git(&occasion.repository);
    let commit = match baton_host::git::Oid::parse(sha) {
        Some(oid) => git.commit(&oid).await?,
        None => None,
    };
    let person = |person: &Person| json!({ "name": person.name, "email": person.email });
    group["head_commit"] = commit.map_or(Value::Null, |commit| {
        json!({
            "id": commit.oid.as_str(),
            "tree_id": commit.tree.as_str(),
            "message": commit.message,
            "timestamp": commit.committer.date,
            "author": person(&commit.author),
            "committer": person(&commit.committer),
        })
    });
    Ok(Some(fields(json!({ "merge_group": group }))))
}

pub(super) fn deployment(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    occasion.show(|view| {
        let Some(deployment) = deployment_rows::by_id(view.connection, occasion.repository.id, id)?
        else {
            return Ok(None);
        };
        let body = deployments::deployment(view, &occasion.repository, &deployment);
        let told = json!({ "deployment": body, "workflow": null, "workflow_run": null });
        Ok(Some(fields(told)))
    })
}

pub(super) fn deployment_status(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let repository = &occasion.repository;
    occasion.show(|view| {
        let Some(status) = deployment_rows::status_by_id(view.connection, id)? else {
            return Ok(None);
        };
        let id = status.deployment_id;
        let Some(deployment) = deployment_rows::by_id(view.connection, repository.id, id)? else {
            return Ok(None);
        };
        Ok(Some(fields(json!({
            "deployment_status": deployments::status(view, repository, &status),
            "deployment": deployments::deployment(view, repository, &deployment),
        }))))
    })
}
