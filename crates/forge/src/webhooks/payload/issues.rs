use serde_json::{Map, Value, json};

use super::{Occasion, fields};
use crate::error::ApiError;
use crate::rest::{comments, issues, labels, milestones, users};
use crate::store::comments::{self as comment_rows, Comment};
use crate::store::issues as issue_rows;
use crate::store::labels as label_rows;
use crate::store::milestones as milestone_rows;
use crate::store::users as user_rows;

type Told = Result<Option<Map<String, Value>>, ApiError>;

pub(super) fn issue(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let mut told = occasion.changes();
    occasion.show(|view| {
        let issue = issue_rows::by_id(view.connection, id)?;
        let body = issues::issue(view, &occasion.repository, &issue)?;
        told.insert("issue".to_owned(), body);
        Ok(())
    })?;
    told.extend(label_and_assignee(occasion)?);
    Ok(Some(told))
}

/// Which one was put on or taken away.
pub(super) fn label_and_assignee(occasion: &Occasion<'_>) -> Result<Map<String, Value>, ApiError> {
    let mut told = Map::new();
    occasion.show(|view| {
        if let Some(id) = occasion.number("label_id")
            && let Some(label) = label_rows::by_id(view.connection, id)?
        {
            let label = labels::label(view, &occasion.repository, &label);
            told.insert("label".to_owned(), label);
        }
        if let Some(id) = occasion.number("assignee_id") {
            let user = user_rows::by_id(view.connection, id)?;
            let assignee = users::simple(view.urls, &user);
            told.insert("assignee".to_owned(), assignee);
        }
        Ok(())
    })?;
    Ok(told)
}

pub(super) fn comment(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let mut told = occasion.changes();
    let found = occasion.show(|view| {
        let comment = match comment_rows::by_id(view.connection, id)? {
            Some(comment) => comment,
            None => match deleted_comment(occasion, id) {
                Some(comment) => comment,
                None => return Ok(false),
            },
        };
        let issue = issue_rows::by_id(view.connection, comment.issue_id)?;
        let repository = &occasion.repository;
        told.insert("issue".to_owned(), issues::issue(view, repository, &issue)?);
        let comment = comments::comment(view, repository, &issue, &comment)?;
        told.insert("comment".to_owned(), comment);
        Ok(true)
    })?;
    Ok(found.then_some(told))
}

/// From what the event kept of it.
fn deleted_comment(occasion: &Occasion<'_>, id: i64) -> Option<Comment> {
    let data = occasion.data()?;
    let text = |key: &str| Some(data.get(key)?.as_str()?.to_owned());
    Some(Comment {
        id,
        issue_id: occasion.number("issue_id")?,
        author_id: occasion.number("author_id")?,
        body: text("body")?,
        minimized_reason: None,
        created_at: text("created_at")?,
        updated_at: text("updated_at")?,
    })
}

pub(super) fn label(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let mut told = occasion.changes();
    let label = occasion.show(|view| {
        let found = label_rows::by_id(view.connection, id)?;
        Ok(found.map(|label| labels::label(view, &occasion.repository, &label)))
    })?;
    let label = match (label, occasion.data().and_then(|data| data.get("label"))) {
        (Some(label), _) => label,
        (None, Some(kept)) => kept.clone(),
        (None, None) => return Ok(None),
    };
    told.insert("label".to_owned(), label);
    Ok(Some(told))
}

pub(super) fn milestone(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    occasion.show(|view| {
        let milestone = milestone_rows::by_id(view.connection, id)?;
        let body = milestones::milestone(view, &occasion.repository, &milestone)?;
        Ok(Some(fields(json!({ "milestone": body }))))
    })
}
