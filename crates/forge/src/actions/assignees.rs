//! Assigning issues and pull requests.

use crate::actions::prelude::*;
use crate::store::users::{self, UserKind};
use crate::store::{assignees, issues, repositories};

/// No one else can be given an issue.
pub(crate) fn is_assignable(
    conn: &Connection,
    repository: &Repository,
    user: &User,
) -> Result<bool> {
    if user.kind == UserKind::Organization {
        return Ok(false);
    }
    let permission = repositories::permission(conn, repository, Some(user))?;
    let is_collaborator = permission >= Permission::Triage;
    Ok(is_collaborator || users::is_member(conn, repository.owner.id, user.id)?)
}

/// All must be assignable.
pub(crate) fn add_all(change: Change<'_>, issue: &Issue, logins: &[String]) -> Result<()> {
    for login in logins {
        let user = assignable(change, login)?.ok_or_else(|| {
            ApiError::Invalid(vec![FieldError {
                value: Some(login.clone().into()),
                ..FieldError::new("Issue", "assignees", "invalid")
            }])
        })?;
        add(change, issue, &user)?;
    }
    Ok(())
}

/// Makes these the only assignees.
pub(crate) fn replace(change: Change<'_>, issue: &Issue, logins: &[String]) -> Result<()> {
    for user in assignees::for_issue(change.tx, issue.id)? {
        if !logins
            .iter()
            .any(|login| login.eq_ignore_ascii_case(&user.login))
        {
            remove(change, issue, &user)?;
        }
    }
    add_all(change, issue, logins)
}

pub(crate) fn remove(change: Change<'_>, issue: &Issue, user: &User) -> Result<()> {
    if assignees::remove(change.tx, issue.id, user.id)? {
        note(change, issue, user, "unassigned")?;
    }
    Ok(())
}

fn add(change: Change<'_>, issue: &Issue, user: &User) -> Result<()> {
    if assignees::add(change.tx, issue.id, user.id)? {
        note(change, issue, user, "assigned")?;
    }
    Ok(())
}

fn note(change: Change<'_>, issue: &Issue, user: &User, word: &str) -> Result<()> {
    issues::touch(change.tx, issue.id, change.at)?;
    let shown = json!({"assignee": {"id": user.id}, "assigner": {"id": change.actor_id}});
    change.timeline(issue.id, word, Some(shown))?;
    change.issue_event(issue, word, Some(json!({"assignee_id": user.id})))
}

fn assignable(change: Change<'_>, login: &str) -> Result<Option<User>> {
    let Some(user) = users::by_login(change.tx, login)? else {
        return Ok(None);
    };
    let repository = repositories::by_id(change.tx, change.repository_id)?;
    let assignable = is_assignable(change.tx, &repository, &user)?;
    Ok(assignable.then_some(user))
}
