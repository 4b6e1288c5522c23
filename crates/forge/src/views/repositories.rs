//! Repositories as JSON.

use serde_json::Map;

use super::{object, users};
use crate::auth::Caller;
use crate::store::issues;
use crate::store::repositories::{self, Permission};
use crate::store::users::UserKind;
use crate::views::prelude::*;

/// What is found below a repository in the API: the key, and its address.
const LINKS: [(&str, &str); 37] = [
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    (
        "notifications_url",
        "/notifications{?since,all,participating}",
    ),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
    ("url", ""),
];

/// In a list, and inside other answers: `minimal-repository` in GitHub's
/// description. With a caller, it says what they may do.
pub(crate) fn minimal(
    view: View<'_>,
    repository: &Repository,
    caller: Option<&Caller>,
) -> Result<Value> {
    let mut body = identity(view, repository);
    body.extend(object(standing(view, repository)?));
    if let Some(caller) = caller {
        let permission = caller.permission(view.conn, repository)?;
        body.insert("permissions".to_owned(), permissions(permission));
    }
    Ok(Value::Object(body))
}

/// Where GitHub's description says `repository`: of a pull request's head and
/// base, of a fork's parent, of the caller's own list.
pub(crate) fn ordinary(
    view: View<'_>,
    repository: &Repository,
    caller: Option<&Caller>,
) -> Result<Value> {
    let mut body = object(minimal(view, repository, caller)?);
    body.extend(object(merge_settings(repository)));
    Ok(Value::Object(body))
}

/// The repository itself: `full-repository`.
pub(crate) fn full(
    view: View<'_>,
    repository: &Repository,
    caller: Option<&Caller>,
) -> Result<Value> {
    let mut body = object(ordinary(view, repository, caller)?);
    body.insert("subscribers_count".to_owned(), json!(0));
    body.insert("network_count".to_owned(), body["forks_count"].clone());
    if repository.owner.kind == UserKind::Organization {
        let organization = users::simple(view.urls, &repository.owner);
        body.insert("organization".to_owned(), organization);
    }
    if let Some(parent) = repository.fork_of {
        let parent = repositories::by_id(view.conn, parent)?;
        body.insert("parent".to_owned(), ordinary(view, &parent, caller)?);
        let source = source_of(view, parent)?;
        body.insert("source".to_owned(), ordinary(view, &source, caller)?);
    }
    Ok(Value::Object(body))
}

/// What the row itself says.
pub(crate) fn facts(view: View<'_>, repository: &Repository) -> Value {
    let more = json!({
        "default_branch": repository.default_branch,
        "is_template": false,
        "has_issues": repository.has_issues,
        "archived": repository.archived,
        "disabled": repository.suspended.is_some(),
        "pushed_at": repository.pushed_at,
        "updated_at": repository.updated_at,
        "delete_branch_on_merge": repository.delete_branch_on_merge,
    });
    merged(
        Value::Object(identity(view, repository)),
        merged(more, merge_settings(repository)),
    )
}

/// Where a line of forks begins.
fn source_of(view: View<'_>, mut repository: Repository) -> Result<Repository> {
    while let Some(parent) = repository.fork_of {
        repository = repositories::by_id(view.conn, parent)?;
    }
    Ok(repository)
}

/// What does not change unless it is renamed.
fn identity(view: View<'_>, repository: &Repository) -> Map<String, Value> {
    let full_name = repository.full_name();
    let mut body = object(json!({
        "id": repository.id,
        "node_id": node_id(Kind::Repository, repository.id),
        "name": repository.name,
        "full_name": full_name,
        "private": repository.private,
        "owner": users::simple(view.urls, &repository.owner),
        "html_url": view.page(repository, ""),
        "description": repository.description,
        "fork": repository.fork_of.is_some(),
        "git_url": view.page(repository, ".git"),
        "ssh_url": view.page(repository, ".git"),
        "clone_url": view.page(repository, ".git"),
        "svn_url": view.page(repository, ""),
        "mirror_url": null,
        "homepage": null,
        "language": null,
        "license": null,
        "topics": [],
        "visibility": if repository.private { "private" } else { "public" },
        "created_at": repository.created_at,
    }));
    for (key, path) in LINKS {
        body.insert(key.to_owned(), json!(view.api(repository, path)));
    }
    body
}

/// What other rows say about it.
fn standing(view: View<'_>, repository: &Repository) -> Result<Value> {
    let open_issues = issues::open_count(view.conn, repository.id)?;
    let forks = repositories::fork_count(view.conn, repository.id)?;
    let pushed_at = repository.pushed_at.as_ref();
    Ok(json!({
        "forks_count": forks,
        "stargazers_count": 0,
        "watchers_count": 0,
        "size": 0,
        "default_branch": repository.default_branch,
        "open_issues_count": open_issues,
        "is_template": false,
        "has_issues": repository.has_issues,
        "has_projects": false,
        "has_wiki": false,
        "has_pages": false,
        "has_downloads": false,
        "has_discussions": false,
        "archived": repository.archived,
        "disabled": repository.suspended.is_some(),
        "pushed_at": pushed_at.unwrap_or(&repository.created_at),
        "updated_at": repository.updated_at,
        "allow_forking": true,
        "web_commit_signoff_required": false,
        "delete_branch_on_merge": repository.delete_branch_on_merge,
        "forks": forks,
        "open_issues": open_issues,
        "watchers": 0,
    }))
}

fn merge_settings(repository: &Repository) -> Value {
    json!({
        "allow_merge_commit": repository.allow_merge_commit,
        "allow_squash_merge": repository.allow_squash_merge,
        "allow_rebase_merge": repository.allow_rebase_merge,
        "allow_auto_merge": repository.allow_auto_merge,
        "allow_update_branch": repository.allow_update_branch,
        "squash_merge_commit_title": repository.squash_merge_commit_title,
        "squash_merge_commit_message": repository.squash_merge_commit_message,
        "merge_commit_title": repository.merge_commit_title,
        "merge_commit_message": repository.merge_commit_message,
    })
}

pub(crate) fn permissions(permission: Permission) -> Value {
    json!({
        "admin": permission >= Permission::Admin,
        "maintain": permission >= Permission::Maintain,
        "push": permission >= Permission::Write,
        "triage": permission >= Permission::Triage,
        "pull": permission >= Permission::Read,
    })
}
