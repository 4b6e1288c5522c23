//! Issues, and what pull requests have in common with them.

use crate::actions::prelude::*;
use crate::actions::{assignees, labels};
use crate::store::issues::{self, IssueState, NewIssue};

/// GitHub's own limits, in characters.
const MAX_TITLE_LEN: usize = 256;
pub(crate) const MAX_BODY_LEN: usize = 65_536;

/// An issue to be opened.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    /// Names; who may not label has theirs ignored, as GitHub does.
    pub(crate) labels: Vec<String>,
    /// Logins.
    pub(crate) assignees: Vec<String>,
}

/// What is to be different; what is absent stays.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::option_option,
    reason = "to leave as it is, to take away and to set are three different wishes"
)]
pub(crate) struct Edit {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<Option<String>>,
    pub(crate) state: Option<IssueState>,
    pub(crate) state_reason: Option<String>,
    pub(crate) labels: Option<Vec<String>>,
    pub(crate) assignees: Option<Vec<String>>,
}

pub(crate) async fn create(cx: RepoContext<'_>, draft: Draft) -> Result<Issue> {
    let author_id = cx.caller.user()?.id;
    if !cx.repository.has_issues {
        return Err(ApiError::issues_disabled());
    }
    check_text("Issue", Some(&draft.title), draft.body.as_deref())?;
    let permission = cx.permission()?;
    cx.change(move |change| {
        let issue = issues::create(
            change.tx,
            &NewIssue {
                repository_id: change.repository_id,
                is_pull: false,
                author_id,
                title: &draft.title,
                body: draft.body.as_deref(),
                at: change.at,
            },
        )?;
        change.issue_event(&issue, "opened", None)?;
        if permission >= Permission::Triage {
            labels::add(change, &issue, &draft.labels)?;
            assignees::add_all(change, &issue, &draft.assignees)?;
        }
        Ok(issues::by_id(change.tx, issue.id)?)
    })
    .await
}

/// For issues; of a pull request, what it has in common with one. Closing and
/// reopening a pull request is the business of `pulls`.
pub(crate) async fn update(cx: RepoContext<'_>, issue: &Issue, edit: Edit) -> Result<Issue> {
    let user = cx.caller.user()?;
    check_text("Issue", edit.title.as_deref(), body_of(&edit))?;
    let permission = cx.permission()?;
    if permission < Permission::Triage && user.id != issue.author_id {
        return Err(ApiError::not_accessible());
    }
    let id = issue.id;
    cx.change(move |change| {
        let mut issue = issues::by_id(change.tx, id)?;
        edit_text(change, &mut issue, &edit)?;
        match edit.state {
            Some(IssueState::Closed) => close(change, &mut issue, edit.state_reason.as_deref())?,
            Some(IssueState::Open) => reopen(change, &mut issue)?,
            None => {}
        }
        if permission >= Permission::Triage {
            if let Some(names) = &edit.labels {
                labels::replace(change, &issue, names)?;
            }
            if let Some(logins) = &edit.assignees {
                assignees::replace(change, &issue, logins)?;
            }
        }
        Ok(issues::by_id(change.tx, issue.id)?)
    })
    .await
}

pub(crate) fn edit_text(change: Change<'_>, issue: &mut Issue, edit: &Edit) -> Result<()> {
    let mut changes = json!({});
    if let Some(title) = edit.title.as_ref().filter(|title| **title != issue.title) {
        changes["title"] = json!({"from": issue.title});
        let rename = json!({"rename": {"from": issue.title, "to": title}});
        change.timeline(issue.id, "renamed", Some(rename))?;
        issue.title.clone_from(title);
    }
    if let Some(body) = edit.body.as_ref().filter(|body| **body != issue.body) {
        changes["body"] = json!({"from": issue.body});
        issue.body.clone_from(body);
    }
    if changes
        .as_object()
        .is_some_and(|changes| !changes.is_empty())
    {
        change.at.clone_into(&mut issue.updated_at);
        issues::update(change.tx, issue)?;
        change.issue_event(issue, "edited", Some(json!({"changes": changes})))?;
    }
    Ok(())
}

/// Closes what is open; gives a new reason to what is closed. The reason is
/// `completed` unless said otherwise.
pub(crate) fn close(change: Change<'_>, issue: &mut Issue, reason: Option<&str>) -> Result<()> {
    let reason = match reason {
        None if issue.state == IssueState::Closed => return Ok(()),
        None => "completed",
        Some(reason @ ("completed" | "not_planned" | "duplicate")) => reason,
        Some(_) => return Err(ApiError::invalid("Issue", "state_reason", "invalid", None)),
    };
    let unchanged = issue.state_reason.as_deref() == Some(reason);
    if issue.state == IssueState::Closed && unchanged {
        return Ok(());
    }
    close_by(change, issue, reason, None)
}

/// `commit` is what closed it.
pub(crate) fn close_by(
    change: Change<'_>,
    issue: &mut Issue,
    reason: &str,
    commit: Option<&str>,
) -> Result<()> {
    issue.state = IssueState::Closed;
    issue.state_reason = (!issue.is_pull).then(|| reason.to_owned());
    issue.closed_at = Some(change.at.to_owned());
    issue.closed_by_id = change.actor_id;
    change.at.clone_into(&mut issue.updated_at);
    issues::update(change.tx, issue)?;
    let mut data = json!({"state_reason": issue.state_reason});
    if let Some(commit) = commit {
        data["commit_id"] = json!(commit);
    }
    change.timeline(issue.id, "closed", Some(data))?;
    change.issue_event(issue, "closed", None)
}

pub(crate) fn reopen(change: Change<'_>, issue: &mut Issue) -> Result<()> {
    if issue.state == IssueState::Open {
        return Ok(());
    }
    issue.state = IssueState::Open;
    issue.state_reason = (!issue.is_pull).then(|| "reopened".to_owned());
    issue.closed_at = None;
    issue.closed_by_id = None;
    change.at.clone_into(&mut issue.updated_at);
    issues::update(change.tx, issue)?;
    let data = json!({"state_reason": issue.state_reason});
    change.timeline(issue.id, "reopened", Some(data))?;
    change.issue_event(issue, "reopened", None)
}

/// Only those who may write comment on it while it is locked. `reason` is one of
/// GitHub's four, or absent.
pub(crate) async fn set_lock(
    cx: RepoContext<'_>,
    issue: &Issue,
    locked: bool,
    reason: Option<String>,
) -> Result<()> {
    let known = ["off-topic", "too heated", "resolved", "spam"];
    if reason
        .as_deref()
        .is_some_and(|reason| !known.contains(&reason))
    {
        return Err(ApiError::invalid("Issue", "lock_reason", "invalid", None));
    }
    let id = issue.id;
    cx.change(move |change| {
        let mut issue = issues::by_id(change.tx, id)?;
        if issue.locked == locked && issue.lock_reason == reason {
            return Ok(());
        }
        issue.locked = locked;
        issue.lock_reason = reason;
        change.at.clone_into(&mut issue.updated_at);
        issues::update(change.tx, &issue)?;
        let word = if locked { "locked" } else { "unlocked" };
        let data = locked.then(|| json!({"lock_reason": issue.lock_reason}));
        change.timeline(issue.id, word, data)?;
        change.issue_event(&issue, word, None)
    })
    .await
}

/// Whether the user may still speak where only some may.
pub(crate) fn check_not_locked(issue: &Issue, permission: Permission) -> Result<()> {
    if issue.locked && permission < Permission::Write {
        return Err(ApiError::Forbidden(
            "Unable to create comment because issue is locked.".to_owned(),
        ));
    }
    Ok(())
}

/// Title and body within GitHub's limits, and a title that says something.
pub(crate) fn check_text(
    resource: &'static str,
    title: Option<&str>,
    body: Option<&str>,
) -> Result<()> {
    let mut errors = Vec::new();
    if let Some(title) = title {
        if title.trim().is_empty() {
            errors.push(FieldError::missing(resource, "title"));
        } else if title.chars().count() > MAX_TITLE_LEN {
            errors.push(too_long(resource, "title", MAX_TITLE_LEN));
        }
    }
    if body.is_some_and(|body| body.chars().count() > MAX_BODY_LEN) {
        errors.push(too_long(resource, "body", MAX_BODY_LEN));
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(ApiError::Invalid(errors))
    }
}

pub(crate) fn too_long(resource: &'static str, field: &'static str, limit: usize) -> FieldError {
    FieldError {
        resource,
        field: Some(field),
        code: "custom",
        message: Some(format!(
            "{field} is too long (maximum is {limit} characters)"
        )),
        value: None,
    }
}

fn body_of(edit: &Edit) -> Option<&str> {
    edit.body.as_ref().and_then(Option::as_deref)
}

/// Whether the user wrote it or may moderate.
pub(crate) fn may_edit(user: &User, author_id: i64, permission: Permission) -> bool {
    user.id == author_id || permission >= Permission::Write
}
