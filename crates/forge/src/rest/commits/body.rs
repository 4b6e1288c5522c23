use serde_json::{Value, json};

use crate::error::ApiError;
use crate::git::{Commit, FileDiff, Person};
use crate::node_id::{Kind, named_node_id};
use crate::rest::users;
use crate::rest::view::View;
use crate::store::repositories::Repository;
use crate::store::users as user_rows;
use crate::urls::{encoded, encoded_path};

/// A commit as the repository's lists show it.
pub(crate) fn commit(
    view: View<'_>,
    repository: &Repository,
    commit: &Commit,
) -> Result<Value, ApiError> {
    let api = view.api(repository, &format!("/commits/{}", commit.oid));
    Ok(json!({
        "sha": commit.oid.as_str(),
        "node_id": named_node_id(Kind::Commit, repository.id, commit.oid.as_str()),
        "commit": {
            "author": person(&commit.author),
            "committer": person(&commit.committer),
            "message": commit.message,
            "tree": {
                "sha": commit.tree.as_str(),
                "url": view.api(repository, &format!("/git/trees/{}", commit.tree)),
            },
            "url": view.api(repository, &format!("/git/commits/{}", commit.oid)),
            "comment_count": 0,
            "verification": verification(commit),
        },
        "url": api,
        "html_url": view.page(repository, &format!("/commit/{}", commit.oid)),
        "comments_url": format!("{api}/comments"),
        "author": account(view, &commit.author)?,
        "committer": account(view, &commit.committer)?,
        "parents": parents(view, repository, commit, "commits"),
    }))
}

/// A commit as git stores it.
pub(crate) fn git_commit(view: View<'_>, repository: &Repository, commit: &Commit) -> Value {
    json!({
        "sha": commit.oid.as_str(),
        "node_id": named_node_id(Kind::Commit, repository.id, commit.oid.as_str()),
        "url": view.api(repository, &format!("/git/commits/{}", commit.oid)),
        "html_url": view.page(repository, &format!("/commit/{}", commit.oid)),
        "author": person(&commit.author),
        "committer": person(&commit.committer),
        "message": commit.message,
        "tree": {
            "sha": commit.tree.as_str(),
            "url": view.api(repository, &format!("/git/trees/{}", commit.tree)),
        },
        "parents": parents(view, repository, commit, "git/commits"),
        "verification": verification(commit),
    })
}

/// A file of a change: `diff-entry` in GitHub's description. `head` is the
/// commit after the change.
pub(crate) fn file(view: View<'_>, repository: &Repository, head: &str, file: &FileDiff) -> Value {
    let path = encoded_path(&file.path);
    let mut body = json!({
        "sha": file.oid.as_str(),
        "filename": file.path,
        "status": file.status.as_str(),
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": view.page(repository, &format!("/blob/{head}/{path}")),
        "raw_url": view.page(repository, &format!("/raw/{head}/{path}")),
        "contents_url": view.api(repository, &format!("/contents/{path}?ref={}", encoded(head))),
    });
    if let Some(patch) = &file.patch {
        body["patch"] = json!(patch);
    }
    if let Some(previous) = &file.previous_path {
        body["previous_filename"] = json!(previous);
    }
    body
}

pub(crate) fn person(person: &Person) -> Value {
    json!({"name": person.name, "email": person.email, "date": person.date})
}

/// The forge keeps no keys, so no signature can be checked.
pub(crate) fn verification(commit: &Commit) -> Value {
    let reason = if commit.signature.is_some() {
        "unknown_key"
    } else {
        "unsigned"
    };
    json!({
        "verified": false,
        "reason": reason,
        "signature": commit.signature,
        "payload": null,
        "verified_at": null,
    })
}

/// Whose e-mail address it is, if it is somebody's here.
fn account(view: View<'_>, person: &Person) -> Result<Value, ApiError> {
    let user = user_rows::by_email(view.connection, &person.email)?;
    Ok(user.map_or(Value::Null, |user| users::simple(view.urls, &user)))
}

fn parents(view: View<'_>, repository: &Repository, commit: &Commit, folder: &str) -> Vec<Value> {
    let parents = commit.parents.iter();
    parents
        .map(|parent| {
            json!({
                "sha": parent.as_str(),
                "url": view.api(repository, &format!("/{folder}/{parent}")),
                "html_url": view.page(repository, &format!("/commit/{parent}")),
            })
        })
        .collect()
}
