use serde_json::json;

use crate::actions::issues::{MAX_BODY_LEN, check_not_locked, may_edit, too_long};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, FieldError, Result};
use crate::store::comments::{self, Comment};
use crate::store::issues::{self, Issue};
use crate::store::repositories::Repository;

pub(crate) async fn create(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    issue: &Issue,
    body: String,
) -> Result<Comment> {
    let user = caller.user()?.clone();
    check_body(&body)?;
    let permission = app.read(|conn| caller.permission(conn, repository))?;
    check_not_locked(issue, permission)?;
    let issue_id = issue.id;
    app.change(repository, &user, move |change| {
        let comment = comments::create(change.tx, issue_id, change.actor.id, &body, change.at)?;
        issues::touch(change.tx, issue_id, change.at)?;
        change.event("issue_comment", "created", comment.id, None)?;
        Ok(comment)
    })
    .await
}

pub(crate) async fn update(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    comment: Comment,
    body: String,
) -> Result<Comment> {
    check_body(&body)?;
    check_may_edit(app, caller, repository, &comment)?;
    let user = caller.user()?.clone();
    app.change(repository, &user, move |change| {
        let mut comment = comment;
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
    app: &App,
    caller: &Caller,
    repository: &Repository,
    comment: Comment,
    reason: Option<String>,
) -> Result<Comment> {
    check_may_edit(app, caller, repository, &comment)?;
    let user = caller.user()?.clone();
    app.change(repository, &user, move |change| {
        let mut comment = comment;
        comment.minimized_reason = reason;
        comments::update(change.tx, &comment)?;
        Ok(comment)
    })
    .await
}

fn check_may_edit(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    comment: &Comment,
) -> Result<()> {
    let user = caller.user()?;
    let permission = app.read(|conn| caller.permission(conn, repository))?;
    if may_edit(user, comment.author_id, permission) {
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
