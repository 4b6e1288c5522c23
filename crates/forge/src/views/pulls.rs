//! Pull requests as JSON.

use super::{issues, repositories, stacks, users};
use crate::actions::pulls as actions;
use crate::auth::Caller;
use crate::store::pulls::{self, MergeMethod};
use crate::store::repositories as repository_rows;
use crate::store::{comments, pull_commits, review_threads, reviews};
use crate::views::prelude::*;

/// What the row itself says.
pub(crate) fn facts(view: View<'_>, repository: &Repository, pull: &Pull) -> Value {
    let more = json!({
        "draft": pull.draft,
        "maintainer_can_modify": pull.maintainer_can_modify,
        "merged": pull.merged.is_some(),
        "merged_at": pull.merged.as_ref().map(|merged| &merged.at),
    });
    merged(issues::issue_facts(view, repository, &pull.issue), more)
}

/// With what has to be asked of git: `pull-request` in GitHub's description.
pub(crate) async fn full(
    app: &App,
    caller: Option<&Caller>,
    repository: &Repository,
    pull: &Pull,
) -> Result<Value> {
    let counts = actions::counts(app, repository, pull).await?;
    let merging = actions::mergeability(app, repository, pull).await?;
    app.show(|view| {
        let merged_by = pull.merged.as_ref().and_then(|merged| merged.by.as_ref());
        let more = json!({
            "merged": pull.merged.is_some(),
            "mergeable": merging.mergeable.filter(|_| pull.is_open()),
            "rebaseable": merging.rebaseable.filter(|_| pull.is_open()),
            "mergeable_state": merging.state.as_str(),
            "merged_by": merged_by.map(|user| users::simple(view.urls, user)),
            "comments": comments::count(view.conn, pull.id())?,
            "review_comments": review_threads::count_of_pull(view.conn, pull.id())?,
            "maintainer_can_modify": pull.maintainer_can_modify,
            "commits": counts.commits,
            "additions": counts.additions,
            "deletions": counts.deletions,
            "changed_files": counts.changed_files,
        });
        Ok(merged(simple(view, caller, repository, pull)?, more))
    })
}

/// In a list: `pull-request-simple`.
pub(crate) fn simple(
    view: View<'_>,
    caller: Option<&Caller>,
    repository: &Repository,
    pull: &Pull,
) -> Result<Value> {
    let (conn, issue) = (view.conn, &pull.issue);
    let requested: Vec<_> = reviews::requests(conn, pull.id())?
        .iter()
        .map(|request| users::simple(view.urls, &request.user))
        .collect();
    let mut body = merged(
        issues::issue_facts(view, repository, issue),
        issues::people(view, repository, issue)?,
    );
    body = merged(body, addresses(view, repository, pull));
    body = merged(body, branches(view, caller, repository, pull)?);
    let more = json!({
        "labels": issues::labels_of(view, repository, issue.id)?,
        "merged_at": pull.merged.as_ref().map(|merged| &merged.at),
        "draft": pull.draft,
        "requested_reviewers": requested,
        "requested_teams": [],
        "auto_merge": auto_merge(view, pull),
        "stack": stacks::place(view, repository, pull)?,
    });
    Ok(merged(body, more))
}

fn addresses(view: View<'_>, repository: &Repository, pull: &Pull) -> Value {
    let number = pull.number();
    let page = view.page(repository, &format!("/pull/{number}"));
    let api = view.api(repository, &format!("/pulls/{number}"));
    let issue = view.api(repository, &format!("/issues/{number}"));
    let statuses = view.api(repository, &format!("/statuses/{}", pull.head_sha));
    let one_comment = view.api(repository, "/pulls/comments{/number}");
    json!({
        "url": api,
        "diff_url": format!("{page}.diff"),
        "patch_url": format!("{page}.patch"),
        "issue_url": issue,
        "commits_url": format!("{api}/commits"),
        "review_comments_url": format!("{api}/comments"),
        "review_comment_url": one_comment,
        "comments_url": format!("{issue}/comments"),
        "statuses_url": statuses,
        "_links": {
            "self": { "href": api },
            "html": { "href": page },
            "issue": { "href": issue },
            "comments": { "href": format!("{issue}/comments") },
            "review_comments": { "href": format!("{api}/comments") },
            "review_comment": { "href": one_comment },
            "commits": { "href": format!("{api}/commits") },
            "statuses": { "href": statuses },
        },
    })
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
) -> Result<Value> {
    let base_repository = repositories::ordinary(view, repository, caller)?;
    let head_repository = match pull.head_repository_id {
        Some(id) if id == repository.id => base_repository.clone(),
        Some(id) => {
            let head = repository_rows::by_id(view.conn, id)?;
            repositories::ordinary(view, &head, caller)?
        }
        None => Value::Null,
    };
    let owner = &repository.owner;
    let trial = pull_commits::trial(view.conn, pull)?;
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

/// As checks and runs mention those whose head is the commit. One whose fork is gone cannot be shown
/// in this form.
pub(crate) fn for_commit(view: View<'_>, repository: &Repository, sha: &str) -> Result<Vec<Value>> {
    let mut shown = Vec::new();
    for pull in pulls::open_with_head_commit(view.conn, repository.id, sha)? {
        let Some(head_repository) = pull.head_repository_id else {
            continue;
        };
        let head_repository = repository_rows::by_id(view.conn, head_repository)?;
        shown.push(minimal(view, repository, &head_repository, &pull));
    }
    Ok(shown)
}

/// Inside other objects: `pull-request-minimal`.
pub(crate) fn minimal(
    view: View<'_>,
    repository: &Repository,
    head_repository: &Repository,
    pull: &Pull,
) -> Value {
    let side = |name: &str, sha: &str, repository: &Repository| {
        let url = view.api(repository, "");
        let repo = json!({ "id": repository.id, "url": url, "name": repository.name });
        json!({ "ref": name, "sha": sha, "repo": repo })
    };
    json!({
        "id": pull.id(),
        "number": pull.number(),
        "url": view.api(repository, &format!("/pulls/{}", pull.number())),
        "head": side(&pull.head_ref, &pull.head_sha, head_repository),
        "base": side(&pull.base_ref, &pull.base_sha, repository),
    })
}
