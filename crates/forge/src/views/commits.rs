//! Commits and files as JSON.

use baton_host::git::Oid;

use super::users;
use crate::git::{Commit, EntryKind, FileDiff, Person, TreeEntry};
use crate::node_id::named_node_id;
use crate::store::users as user_rows;
use crate::urls::{encoded, encoded_path};
use crate::views::prelude::*;

/// A commit as the repository's lists show it.
pub(crate) fn commit(view: View<'_>, repository: &Repository, commit: &Commit) -> Result<Value> {
    let api = view.api(repository, &format!("/commits/{}", commit.oid));
    Ok(json!({
        "sha": commit.oid.as_str(),
        "node_id": node_id(repository, commit),
        "commit": {
            "author": person(&commit.author),
            "committer": person(&commit.committer),
            "message": commit.message,
            "tree": tree(view, repository, commit),
            "url": view.api(repository, &format!("/git/commits/{}", commit.oid)),
            "comment_count": 0,
            "verification": verification(commit),
        },
        "url": api,
        "html_url": page(view, repository, commit.oid.as_str()),
        "comments_url": format!("{api}/comments"),
        "author": account(view, &commit.author)?,
        "committer": account(view, &commit.committer)?,
        "parents": parents(view, repository, commit, "commits"),
    }))
}

/// As checks and runs mention it: `simple-commit`; null where a push took it away.
pub(crate) async fn simple(app: &App, repository: &Repository, sha: &str) -> Result<Value> {
    let Some(oid) = Oid::parse(sha) else {
        return Ok(Value::Null);
    };
    let Some(commit) = app.git(repository).commit(&oid).await? else {
        return Ok(Value::Null);
    };
    let person = |person: &Person| json!({ "name": person.name, "email": person.email });
    Ok(json!({
        "id": commit.oid.as_str(),
        "tree_id": commit.tree.as_str(),
        "message": commit.message,
        "timestamp": commit.committer.date,
        "author": person(&commit.author),
        "committer": person(&commit.committer),
    }))
}

/// A file of a change: `diff-entry`. `head` is the commit after the change.
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

/// What a file, folder, link or submodule has in common. `revision` is what the caller named, and
/// stands in the addresses.
pub(crate) fn entry(
    view: View<'_>,
    repository: &Repository,
    revision: &str,
    found: &TreeEntry,
) -> Value {
    let path = encoded_path(&found.path);
    let reference = encoded(revision);
    let api = view.api(repository, &format!("/contents/{path}?ref={reference}"));
    let (kind, folder, page) = match found.kind {
        EntryKind::Folder => ("dir", "trees", "tree"),
        EntryKind::Submodule => ("submodule", "trees", "tree"),
        EntryKind::File if found.is_symlink() => ("symlink", "blobs", "blob"),
        EntryKind::File => ("file", "blobs", "blob"),
    };
    let git = view.api(repository, &format!("/git/{folder}/{}", found.oid));
    let html = view.page(repository, &format!("/{page}/{reference}/{path}"));
    let raw = view.page(repository, &format!("/raw/{reference}/{path}"));
    let is_file = matches!(kind, "file" | "symlink");
    json!({
        "name": found.name(),
        "path": found.path,
        "sha": found.oid.as_str(),
        "size": found.size.unwrap_or(0),
        "url": api,
        "html_url": html,
        "git_url": git,
        "download_url": if is_file { json!(raw) } else { Value::Null },
        "type": kind,
        "_links": {"self": api, "git": git, "html": html},
    })
}

pub(crate) fn person(person: &Person) -> Value {
    json!({"name": person.name, "email": person.email, "date": person.date})
}

/// For people.
pub(crate) fn page(view: View<'_>, repository: &Repository, sha: &str) -> String {
    view.page(repository, &format!("/commit/{sha}"))
}

fn node_id(repository: &Repository, commit: &Commit) -> String {
    named_node_id(Kind::Commit, repository.id, commit.oid.as_str())
}

fn tree(view: View<'_>, repository: &Repository, commit: &Commit) -> Value {
    let url = view.api(repository, &format!("/git/trees/{}", commit.tree));
    json!({ "sha": commit.tree.as_str(), "url": url })
}

/// The forge keeps no keys, so no signature can be checked.
fn verification(commit: &Commit) -> Value {
    let is_signed = commit.signature.is_some();
    json!({
        "verified": false,
        "reason": if is_signed { "unknown_key" } else { "unsigned" },
        "signature": commit.signature,
        "payload": null,
        "verified_at": null,
    })
}

/// The account that has the e-mail address, if there is one here.
fn account(view: View<'_>, person: &Person) -> Result<Value> {
    let user = user_rows::by_email(view.conn, &person.email)?;
    Ok(user.map_or(Value::Null, |user| users::simple(view.urls, &user)))
}

fn parents(view: View<'_>, repository: &Repository, commit: &Commit, folder: &str) -> Vec<Value> {
    let parents = commit.parents.iter().map(|parent| {
        json!({
            "sha": parent.as_str(),
            "url": view.api(repository, &format!("/{folder}/{parent}")),
            "html_url": page(view, repository, parent.as_str()),
        })
    });
    parents.collect()
}
