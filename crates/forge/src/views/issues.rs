//! Issues, comments, labels and reactions as JSON.

use super::users;
use crate::store::comments::{self, Comment};
use crate::store::issues::Issue;
use crate::store::labels::{self, Label};
use crate::store::reactions::{self, CONTENTS, Reaction, Subject};
use crate::store::{assignees, pulls, repositories, users as user_rows};
use crate::urls::encoded;
use crate::views::prelude::*;

/// What the row of an issue or pull request itself says.
pub(crate) fn issue_facts(view: View<'_>, repository: &Repository, issue: &Issue) -> Value {
    let kind = if issue.is_pull {
        Kind::PullRequest
    } else {
        Kind::Issue
    };
    json!({
        "id": issue.id,
        "node_id": node_id(kind, issue.id),
        "html_url": page(view, repository, issue),
        "number": issue.number,
        "title": issue.title,
        "state": issue.state.as_str(),
        "locked": issue.locked,
        "milestone": null,
        "created_at": issue.created_at,
        "updated_at": issue.updated_at,
        "closed_at": issue.closed_at,
        "active_lock_reason": issue.lock_reason,
        "body": issue.body,
    })
}

/// An issue, or a pull request where GitHub shows it as one.
pub(crate) fn issue(view: View<'_>, repository: &Repository, issue: &Issue) -> Result<Value> {
    let api = view.api(repository, &format!("/issues/{}", issue.number));
    let closed_by = issue.closed_by_id.map(|id| users::by_id(view, id));
    let more = json!({
        "url": api,
        "repository_url": view.api(repository, ""),
        "labels_url": format!("{api}/labels{{/name}}"),
        "comments_url": format!("{api}/comments"),
        "events_url": format!("{api}/events"),
        "labels": labels_of(view, repository, issue.id)?,
        "comments": comments::count(view.conn, issue.id)?,
        "closed_by": closed_by.transpose()?,
        "reactions": rollup(view, Subject::Issue, issue.id, &api)?,
        "timeline_url": format!("{api}/timeline"),
        "performed_via_github_app": null,
        "state_reason": issue.state_reason,
    });
    let facts = issue_facts(view, repository, issue);
    let mut body = merged(merged(facts, people(view, repository, issue)?), more);
    if let Some(pull) = pulls::by_id(view.conn, issue.id)? {
        body["pull_request"] = pull_link(view, repository, &pull);
        body["draft"] = json!(pull.draft);
    }
    Ok(body)
}

/// Who wrote it and who has it to do.
pub(crate) fn people(view: View<'_>, repository: &Repository, issue: &Issue) -> Result<Value> {
    let author = user_rows::by_id(view.conn, issue.author_id)?;
    let assigned: Vec<_> = assignees::for_issue(view.conn, issue.id)?
        .iter()
        .map(|user| users::simple(view.urls, user))
        .collect();
    Ok(json!({
        "user": users::simple(view.urls, &author),
        "assignee": assigned.first(),
        "assignees": assigned,
        "author_association": repositories::association(view.conn, repository, &author)?,
    }))
}

pub(crate) fn labels_of(
    view: View<'_>,
    repository: &Repository,
    issue_id: i64,
) -> Result<Vec<Value>> {
    let labels = labels::for_issue(view.conn, issue_id)?;
    let labels = labels.iter().map(|found| label(view, repository, found));
    Ok(labels.collect())
}

/// For people.
pub(crate) fn page(view: View<'_>, repository: &Repository, issue: &Issue) -> String {
    let folder = if issue.is_pull { "pull" } else { "issues" };
    view.page(repository, &format!("/{folder}/{}", issue.number))
}

fn pull_link(view: View<'_>, repository: &Repository, pull: &Pull) -> Value {
    let page = view.page(repository, &format!("/pull/{}", pull.number()));
    json!({
        "url": view.api(repository, &format!("/pulls/{}", pull.number())),
        "html_url": page,
        "diff_url": format!("{page}.diff"),
        "patch_url": format!("{page}.patch"),
        "merged_at": pull.merged.as_ref().map(|merged| &merged.at),
    })
}

pub(crate) fn label(view: View<'_>, repository: &Repository, label: &Label) -> Value {
    json!({
        "id": label.id,
        "node_id": node_id(Kind::Label, label.id),
        "url": view.api(repository, &format!("/labels/{}", encoded(&label.name))),
        "name": label.name,
        "color": label.color,
        "default": label.is_default,
        "description": label.description,
    })
}

pub(crate) fn comment_facts(
    view: View<'_>,
    repository: &Repository,
    issue: &Issue,
    comment: &Comment,
) -> Value {
    let page = page(view, repository, issue);
    json!({
        "id": comment.id,
        "node_id": node_id(Kind::IssueComment, comment.id),
        "html_url": format!("{page}#issuecomment-{}", comment.id),
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
        "body": comment.body,
    })
}

/// `issue-comment` in GitHub's description.
pub(crate) fn comment(
    view: View<'_>,
    repository: &Repository,
    issue: &Issue,
    comment: &Comment,
) -> Result<Value> {
    let api = view.api(repository, &format!("/issues/comments/{}", comment.id));
    let author = user_rows::by_id(view.conn, comment.author_id)?;
    let more = json!({
        "url": api,
        "issue_url": view.api(repository, &format!("/issues/{}", issue.number)),
        "user": users::simple(view.urls, &author),
        "author_association": repositories::association(view.conn, repository, &author)?,
        "reactions": rollup(view, Subject::Comment, comment.id, &api)?,
        "performed_via_github_app": null,
    });
    Ok(merged(
        comment_facts(view, repository, issue, comment),
        more,
    ))
}

pub(crate) fn reaction(view: View<'_>, reaction: &Reaction) -> Value {
    json!({
        "id": reaction.id,
        "node_id": node_id(Kind::Reaction, reaction.id),
        "user": users::simple(view.urls, &reaction.user),
        "content": reaction.content,
        "created_at": reaction.created_at,
    })
}

/// How often each was given. `subject_url` is the address of what was reacted to.
pub(crate) fn rollup(
    view: View<'_>,
    subject: Subject,
    subject_id: i64,
    subject_url: &str,
) -> Result<Value> {
    let counts = reactions::counts(view.conn, subject, subject_id)?;
    let mut body = json!({
        "url": format!("{subject_url}/reactions"),
        "total_count": counts.iter().sum::<i64>(),
    });
    for (content, count) in CONTENTS.iter().zip(counts) {
        body[*content] = json!(count);
    }
    Ok(body)
}
