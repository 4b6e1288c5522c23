use serde_json::{Map, Value, json};

use crate::actions::pulls as actions;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::view::View;
use crate::rest::{labels, milestones, repositories as repository_bodies, users};
use crate::store::pull_commits;
use crate::store::pulls::{MergeMethod, Pull};
use crate::store::repositories::{self, Repository};
use crate::store::users as user_rows;
use crate::store::{
    assignees, comments, labels as label_rows, milestones as milestone_rows, review_threads,
    reviews,
};

/// With what has to be asked of git: `pull-request` in GitHub's description.
pub(crate) async fn full(
    app: &App,
    caller: Option<&Caller>,
    repository: &Repository,
    pull: &Pull,
) -> Result<Value, ApiError> {
    let counts = actions::counts(app, repository, pull).await?;
    let merging = actions::mergeability(app, repository, pull).await?;
    app.show(|view| {
        let mut body = object(simple(view, caller, repository, pull)?);
        let merged_by = pull.merged.as_ref().and_then(|merged| merged.by.as_ref());
        let more = json!({
            "merged": pull.merged.is_some(),
            "mergeable": merging.mergeable.filter(|_| pull.is_open()),
            "rebaseable": merging.rebaseable.filter(|_| pull.is_open()),
            "mergeable_state": merging.state.as_str(),
            "merged_by": merged_by.map(|user| users::simple(view.urls, user)),
            "comments": comments::count(view.connection, pull.id())?,
            "review_comments": review_threads::count_of_pull(view.connection, pull.id())?,
            "maintainer_can_modify": pull.maintainer_can_modify,
            "commits": counts.commits,
            "additions": counts.additions,
            "deletions": counts.deletions,
            "changed_files": counts.changed_files,
        });
        body.extend(object(more));
        Ok(Value::Object(body))
    })
}

/// In a list: `pull-request-simple`.
pub(crate) fn simple(
    view: View<'_>,
    caller: Option<&Caller>,
    repository: &Repository,
    pull: &Pull,
) -> Result<Value, ApiError> {
    let mut body = object(text(view, repository, pull)?);
    body.extend(object(people(view, repository, pull)?));
    body.extend(object(branches(view, caller, repository, pull)?));
    Ok(Value::Object(body))
}

fn text(view: View<'_>, repository: &Repository, pull: &Pull) -> Result<Value, ApiError> {
    let issue = &pull.issue;
    let number = issue.number;
    let page = view.page(repository, &format!("/pull/{number}"));
    let api = view.api(repository, &format!("/pulls/{number}"));
    let issue_api = view.api(repository, &format!("/issues/{number}"));
    let milestone = match issue.milestone_id {
        Some(id) => {
            let milestone = milestone_rows::by_id(view.connection, id)?;
            milestones::milestone(view, repository, &milestone)?
        }
        None => Value::Null,
    };
    let labeled: Vec<_> = label_rows::of_issue(view.connection, issue.id)?
        .iter()
        .map(|label| labels::label(view, repository, label))
        .collect();
    Ok(json!({
        "url": api,
        "id": issue.id,
        "node_id": node_id(Kind::PullRequest, issue.id),
        "html_url": page,
        "diff_url": format!("{page}.diff"),
        "patch_url": format!("{page}.patch"),
        "issue_url": issue_api,
        "number": number,
        "state": issue.state.as_str(),
        "locked": issue.locked,
        "title": issue.title,
        "body": issue.body,
        "labels": labeled,
        "milestone": milestone,
        "active_lock_reason": issue.lock_reason,
        "created_at": issue.created_at,
        "updated_at": issue.updated_at,
        "closed_at": issue.closed_at,
        "merged_at": pull.merged.as_ref().map(|merged| &merged.at),
        "draft": pull.draft,
        "commits_url": format!("{api}/commits"),
        "review_comments_url": format!("{api}/comments"),
        "review_comment_url": view.api(repository, "/pulls/comments{/number}"),
        "comments_url": format!("{issue_api}/comments"),
        "statuses_url": view.api(repository, &format!("/statuses/{}", pull.head_sha)),
        "_links": {
            "self": { "href": api },
            "html": { "href": page },
            "issue": { "href": issue_api },
            "comments": { "href": format!("{issue_api}/comments") },
            "review_comments": { "href": format!("{api}/comments") },
            "review_comment": { "href": view.api(repository, "/pulls/comments{/number}") },
            "commits": { "href": format!("{api}/commits") },
            "statuses": {
                "href": view.api(repository, &format!("/statuses/{}", pull.head_sha)),
            },
        },
    }))
}

fn people(view: View<'_>, repository: &Repository, pull: &Pull) -> Result<Value, ApiError> {
    let connection = view.connection;
    let author = user_rows::by_id(connection, pull.issue.author_id)?;
    let assigned: Vec<_> = assignees::of_issue(connection, pull.id())?
        .iter()
        .map(|user| users::simple(view.urls, user))
        .collect();
    let requested: Vec<_> = reviews::requests(connection, pull.id())?
        .iter()
        .map(|request| users::simple(view.urls, &request.user))
        .collect();
    Ok(json!({
        "user": users::simple(view.urls, &author),
        "assignee": assigned.first(),
        "assignees": assigned,
        "requested_reviewers": requested,
        "requested_teams": [],
        "author_association": repositories::association(connection, repository, &author)?,
        "auto_merge": auto_merge(view, pull),
    }))
}

fn auto_merge(view: View<'_>, pull: &Pull) -> Value {
    let Some(auto_merge) = &pull.auto_merge else {
        return Value::Null;
    };
    let title = match auto_merge.method {
        MergeMethod::Merge => format!(
            "Merge pull request #{} from {}/{}",
            pull.number(),
            pull.head_owner.login,
            pull.head_ref
        ),
        MergeMethod::Squash | MergeMethod::Rebase => {
            format!("{} (#{})", pull.issue.title, pull.number())
        }
    };
    json!({
        "enabled_by": users::simple(view.urls, &auto_merge.enabled_by),
        "merge_method": auto_merge.method.as_str(),
        "commit_title": auto_merge.commit_title.clone().unwrap_or(title),
        "commit_message": auto_merge.commit_message.clone().unwrap_or_default(),
    })
}

fn branches(
    view: View<'_>,
    caller: Option<&Caller>,
    repository: &Repository,
    pull: &Pull,
) -> Result<Value, ApiError> {
    let base_repository = repository_bodies::ordinary(view, repository, caller)?;
    let head_repository = match pull.head_repository_id {
        Some(id) if id == repository.id => base_repository.clone(),
        Some(id) => {
            let head = repositories::by_id(view.connection, id)?;
            repository_bodies::ordinary(view, &head, caller)?
        }
        None => Value::Null,
    };
    let owner = &repository.owner;
    let trial = pull_commits::trial(view.connection, pull)?;
    let merge_commit = match &pull.merged {
        Some(merged) => Some(merged.commit_sha.clone()),
        None => trial.and_then(|trial| Some(trial.merged?.commit_sha)),
    };
    Ok(json!({
        "merge_commit_sha": merge_commit,
        "head": {
            "label": pull.head_label(),
            "ref": pull.head_ref,
            "sha": pull.head_sha,
            "user": users::simple(view.urls, &pull.head_owner),
            "repo": head_repository,
        },
        "base": {
            "label": format!("{}:{}", owner.login, pull.base_ref),
            "ref": pull.base_ref,
            "sha": pull.base_sha,
            "user": users::simple(view.urls, owner),
            "repo": base_repository,
        },
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
