use serde_json::{Value, json};

use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::view::View;
use crate::rest::{labels, milestones, reactions, users};
use crate::store::issues::Issue;
use crate::store::labels as label_rows;
use crate::store::pulls::{self, Pull};
use crate::store::reactions::Subject;
use crate::store::repositories::{self, Repository};
use crate::store::users as user_rows;
use crate::store::{assignees, comments, milestones as milestone_rows};

/// An issue, or a pull request where GitHub shows it as one.
pub(crate) fn issue(
    view: View<'_>,
    repository: &Repository,
    issue: &Issue,
) -> Result<Value, ApiError> {
    let connection = view.connection;
    let author = user_rows::by_id(connection, issue.author_id)?;
    let assigned: Vec<_> = assignees::of_issue(connection, issue.id)?
        .iter()
        .map(|user| users::simple(view.urls, user))
        .collect();
    let labeled: Vec<_> = label_rows::of_issue(connection, issue.id)?
        .iter()
        .map(|label| labels::label(view, repository, label))
        .collect();
    let milestone = match issue.milestone_id {
        Some(id) => {
            let milestone = milestone_rows::by_id(connection, id)?;
            milestones::milestone(view, repository, &milestone)?
        }
        None => Value::Null,
    };
    let closed_by = match issue.closed_by_id {
        Some(id) => users::simple(view.urls, &user_rows::by_id(connection, id)?),
        None => Value::Null,
    };
    let api = view.api(repository, &format!("/issues/{}", issue.number));
    let association = repositories::association(connection, repository, &author)?;
    let mut body = json!({
        "url": api,
        "repository_url": view.api(repository, ""),
        "labels_url": format!("{api}/labels{{/name}}"),
        "comments_url": format!("{api}/comments"),
        "events_url": format!("{api}/events"),
        "html_url": page(view, repository, issue),
        "id": issue.id,
        "node_id": node_id(kind(issue), issue.id),
        "number": issue.number,
        "title": issue.title,
        "user": users::simple(view.urls, &author),
        "labels": labeled,
        "state": issue.state.as_str(),
        "locked": issue.locked,
        "assignee": assigned.first(),
        "assignees": assigned,
        "milestone": milestone,
        "comments": comments::count(connection, issue.id)?,
        "created_at": issue.created_at,
        "updated_at": issue.updated_at,
        "closed_at": issue.closed_at,
        "author_association": association,
        "active_lock_reason": issue.lock_reason,
        "body": issue.body,
        "closed_by": closed_by,
        "reactions": reactions::rollup(view, Subject::Issue, issue.id, &api)?,
        "timeline_url": format!("{api}/timeline"),
        "performed_via_github_app": null,
        "state_reason": issue.state_reason,
    });
    if let Some(pull) = pulls::by_id(connection, issue.id)? {
        body["pull_request"] = pull_request_link(view, repository, &pull);
        body["draft"] = json!(pull.draft);
    }
    Ok(body)
}

/// For people.
pub(crate) fn page(view: View<'_>, repository: &Repository, issue: &Issue) -> String {
    let folder = if issue.is_pull { "pull" } else { "issues" };
    view.page(repository, &format!("/{folder}/{}", issue.number))
}

pub(crate) fn kind(issue: &Issue) -> Kind {
    if issue.is_pull {
        Kind::PullRequest
    } else {
        Kind::Issue
    }
}

fn pull_request_link(view: View<'_>, repository: &Repository, pull: &Pull) -> Value {
    let page = view.page(repository, &format!("/pull/{}", pull.number()));
    json!({
        "url": view.api(repository, &format!("/pulls/{}", pull.number())),
        "html_url": page,
        "diff_url": format!("{page}.diff"),
        "patch_url": format!("{page}.patch"),
        "merged_at": pull.merged.as_ref().map(|merged| &merged.at),
    })
}
