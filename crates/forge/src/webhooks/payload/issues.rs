//! Payloads about issues and comments.

use serde_json::{Map, Value};

use super::{Fields, Occasion};
use crate::error::Result;
use crate::store::issues as rows;
use crate::store::{comments, labels};
use crate::views::{issues, users};

pub(super) fn issue(occasion: &Occasion<'_>) -> Fields {
    let Some(id) = occasion.event.subject_id else {
        return Ok(None);
    };
    let mut fields = occasion.changes();
    let body = occasion.show(|view| {
        let issue = rows::by_id(view.conn, id)?;
        issues::issue(view, &occasion.repository, &issue)
    })?;
    fields.insert("issue".to_owned(), body);
    fields.extend(label_and_assignee(occasion)?);
    Ok(Some(fields))
}

/// Which one was put on or taken away.
pub(super) fn label_and_assignee(occasion: &Occasion<'_>) -> Result<Map<String, Value>> {
    let mut fields = Map::new();
    occasion.show(|view| {
        if let Some(id) = occasion.number("label_id")
            && let Some(label) = labels::by_id(view.conn, id)?
        {
            let label = issues::label(view, &occasion.repository, &label);
            fields.insert("label".to_owned(), label);
        }
        if let Some(id) = occasion.number("assignee_id") {
            fields.insert("assignee".to_owned(), users::by_id(view, id)?);
        }
        Ok(())
    })?;
    Ok(fields)
}

pub(super) fn comment(occasion: &Occasion<'_>) -> Fields {
    let Some(comment) = occasion.row(comments::by_id)? else {
        return Ok(None);
    };
    let (mut fields, repository) = (occasion.changes(), &occasion.repository);
    occasion.show(|view| {
        let issue = rows::by_id(view.conn, comment.issue_id)?;
        fields.insert("issue".to_owned(), issues::issue(view, repository, &issue)?);
        let comment = issues::comment(view, repository, &issue, &comment)?;
        fields.insert("comment".to_owned(), comment);
        Ok(())
    })?;
    Ok(Some(fields))
}

pub(super) fn label(occasion: &Occasion<'_>) -> Fields {
    let Some(label) = occasion.row(labels::by_id)? else {
        return Ok(None);
    };
    let label = occasion.show(|view| Ok(issues::label(view, &occasion.repository, &label)))?;
    let mut fields = occasion.changes();
    fields.insert("label".to_owned(), label);
    Ok(Some(fields))
}
