use axum::extract::{Path, State};
use axum::response::Response;
use serde_json::{Value, json};

use super::{PullPath, find};
use crate::actions::pulls as actions;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::git::{Commit, FileDiff, Person};
use crate::rest::Paging;
use crate::rest::users;
use crate::rest::view::View;
use crate::store::repositories::Repository;
use crate::store::users as user_rows;
use crate::urls::encoded_path;

/// GitHub lists no more of either.
const MOST_FILES: usize = 3_000;
const MOST_COMMITS: usize = 250;

pub(super) async fn files(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): PullPath,
) -> Result<Response, ApiError> {
    let (repository, pull) = find(&app, &caller, &path)?;
    let mut files = actions::diff(&app, &repository, &pull).await?;
    files.truncate(MOST_FILES);
    app.show(|view| {
        Ok(paging.answer_all(files, |found| {
            file(view, &repository, &pull.head_sha, &found)
        }))
    })
}

pub(super) async fn commits(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path(path): PullPath,
) -> Result<Response, ApiError> {
    let (repository, pull) = find(&app, &caller, &path)?;
    let mut found = actions::pull_commits(&app, &repository, &pull).await?;
    found.truncate(MOST_COMMITS);
    app.show(|view| {
        let total = found.len();
        let items: Result<Vec<_>, _> = paging
            .of(found)
            .iter()
            .map(|commit| commit_body(view, &repository, commit))
            .collect();
        Ok(paging.answer(items?, total))
    })
}

/// A changed file: `diff-entry` in GitHub's description.
fn file(view: View<'_>, repository: &Repository, head_sha: &str, file: &FileDiff) -> Value {
    let path = encoded_path(&file.path);
    let mut body = json!({
        "sha": file.oid.as_str(),
        "filename": file.path,
        "status": file.status.as_str(),
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": view.page(repository, &format!("/blob/{head_sha}/{path}")),
        "raw_url": view.page(repository, &format!("/raw/{head_sha}/{path}")),
        "contents_url": view.api(repository, &format!("/contents/{path}?ref={head_sha}")),
    });
    if let Some(patch) = &file.patch {
        body["patch"] = json!(patch);
    }
    if let Some(previous) = &file.previous_path {
        body["previous_filename"] = json!(previous);
    }
    body
}

/// `commit` in GitHub's description.
fn commit_body(
    view: View<'_>,
    repository: &Repository,
    commit: &Commit,
) -> Result<Value, ApiError> {
    let sha = commit.oid.as_str();
    let api = view.api(repository, &format!("/commits/{sha}"));
    let git = |kind: &str, sha: &str| view.api(repository, &format!("/git/{kind}/{sha}"));
    let parents: Vec<_> = commit
        .parents
        .iter()
        .map(|parent| {
            json!({
                "sha": parent.as_str(),
                "url": view.api(repository, &format!("/commits/{parent}")),
                "html_url": view.page(repository, &format!("/commit/{parent}")),
            })
        })
        .collect();
    Ok(json!({
        "sha": sha,
        "node_id": format!("C_{sha}"),
        "commit": {
            "author": person(&commit.author),
            "committer": person(&commit.committer),
            "message": commit.message,
            "tree": { "sha": commit.tree.as_str(), "url": git("trees", commit.tree.as_str()) },
            "url": git("commits", sha),
            "comment_count": 0,
            "verification": {
                "verified": false,
                "reason": if commit.signature.is_some() { "unknown_key" } else { "unsigned" },
                "signature": commit.signature,
                "payload": null,
                "verified_at": null,
            },
        },
        "url": api,
        "html_url": view.page(repository, &format!("/commit/{sha}")),
        "comments_url": format!("{api}/comments"),
        "author": account(view, &commit.author)?,
        "committer": account(view, &commit.committer)?,
        "parents": parents,
    }))
}

fn person(person: &Person) -> Value {
    json!({ "name": person.name, "email": person.email, "date": person.date })
}

/// Whose e-mail address it is; nothing where it is nobody's.
fn account(view: View<'_>, person: &Person) -> Result<Value, ApiError> {
    let user = user_rows::by_email(view.connection, &person.email)?;
    Ok(user.map_or(Value::Null, |user| users::simple(view.urls, &user)))
}
