//! Commenting on issues and pull requests.

use crate::actions::issues::{MAX_BODY_LEN, check_not_locked, may_edit, too_long};
use crate::actions::prelude::*;
use crate::store::comments::{self, Comment};
use crate::store::issues;

pub(crate) async fn create(cx: RepoContext<'_>, issue: &Issue, body: String) -> Result<Comment> {
    check_body(&body)?;
    check_not_locked(issue, cx.permission()?)?;
    let (issue_id, author) = (issue.id, cx.caller.user()?.id);
    cx.change(move |change| {
        let comment = comments::create(change.tx, issue_id, author, &body, change.at)?;
        issues::touch(change.tx, issue_id, change.at)?;
        change.event("issue_comment", "created", comment.id, None)?;
        Ok(comment)
    })
    .await
}

pub(crate) async fn update(
    cx: RepoContext<'_>,
    mut comment: Comment,
    body: String,
) -> Result<Comment> {
    check_body(&body)?;
    check_may_edit(cx, &comment)?;
    cx.change(move |change| {
        let before = std::mem::replace(&mut comment.body, body);
        change.at.clone_into(&mut comment.updated_at);
        comments::update(change.tx, &comment)?;
        let data = json!({"changes": {"body": {"from": before}}});
        change.event("issue_comment", "edited", comment.id, Some(data))?;
        Ok(comment)
    })
    .await
}

/// Folds a comment away (with a reason such as `OUTDATED`) or shows it again.
pub(crate) async fn set_minimized(
    cx: RepoContext<'_>,
    mut comment: Comment,
    reason: Option<String>,
) -> Result<Comment> {
    check_may_edit(cx, &comment)?;
    cx.change(move |change| {
        comment.minimized_reason = reason;
        comments::update(change.tx, &comment)?;
        Ok(comment)
    })
    .await
}

fn check_may_edit(cx: RepoContext<'_>, comment: &Comment) -> Result<()> {
    if may_edit(cx.caller.user()?, comment.author_id, cx.permission()?) {
        Ok(())
    } else {
        Err(ApiError::not_accessible())
    }
}

fn check_body(body: &str) -> Result<()> {
    if body.trim().is_empty() {
        let error = FieldError {
            message: Some("body cannot be blank".to_owned()),
            ..FieldError::missing("IssueComment", "body")
        };
        return Err(ApiError::Invalid(vec![error]));
    }
    if body.chars().count() > MAX_BODY_LEN {
        let error = too_long("IssueComment", "body", MAX_BODY_LEN);
        return Err(ApiError::Invalid(vec![error]));
    }
    Ok(())
}
