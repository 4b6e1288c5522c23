//! Files and folders of a commit.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use baton_host::git::Oid;

use super::media::Media;
use super::prelude::*;
use crate::git::{EntryKind, GitRepository, TreeEntry};
use crate::views::commits::entry;

/// Above this, GitHub gives no content but in raw form.
const MAX_CONTENT_LEN: usize = 1024 * 1024;

/// Base64 has a line break after so many characters.
const LINE: usize = 60;

pub(super) fn routes() -> Router<App> {
    const ROOT: &str = "/repos/{owner}/{repo}/contents";
    Router::new()
        .route(ROOT, get(read))
        .route(&format!("{ROOT}/"), get(read))
        .route(&format!("{ROOT}/{{*path}}"), get(read))
        .route("/repos/{owner}/{repo}/readme", get(readme))
}

/// One repository at one commit.
struct Tree {
    repository: Repository,
    git: GitRepository,
    /// As the caller named it.
    revision: String,
    commit: Oid,
}

async fn read(call: Call) -> Answer {
    let tree = open(&call).await?;
    let path = call.path("path").trim_matches('/');
    if path.is_empty() {
        return folder(&call, &tree, &tree.commit, "").await;
    }
    let found = tree.git.entry(&tree.commit, path).await?;
    let found = found.ok_or(ApiError::NotFound)?;
    match found.kind {
        EntryKind::File => file(&call, &tree, &found).await,
        EntryKind::Folder => folder(&call, &tree, &found.oid, path).await,
        EntryKind::Submodule => call.show(|view| {
            let mut body = entry(view, &tree.repository, &tree.revision, &found);
            body["submodule_git_url"] = Value::Null;
            Ok(body)
        }),
    }
}

/// The first that there is, in the folders in which GitHub looks.
async fn readme(call: Call) -> Answer {
    let tree = open(&call).await?;
    for folder in [".github", "", "docs"] {
        let oid = match folder {
            "" => Some(tree.commit.clone()),
            folder => {
                let found = tree.git.entry(&tree.commit, folder).await?;
                found.map(|found| found.oid)
            }
        };
        let Some(oid) = oid else { continue };
        let entries = tree.git.tree(&oid, false).await?.unwrap_or_default();
        let readme = entries.into_iter().find(|found| {
            let name = found.path.to_ascii_lowercase();
            found.kind == EntryKind::File && (name == "readme" || name.starts_with("readme."))
        });
        if let Some(mut found) = readme {
            found.path = format!("{folder}/{}", found.path);
            found.path = found.path.trim_start_matches('/').to_owned();
            return file(&call, &tree, &found).await;
        }
    }
    Err(ApiError::NotFound)
}

async fn open(call: &Call) -> Result<Tree> {
    let (repository, git) = call.git()?;
    let revision = call.get("ref").filter(|name| !name.is_empty());
    let revision = revision.unwrap_or(&repository.default_branch).to_owned();
    let Some(commit) = git.resolve_commit(&revision).await? else {
        let message = match call.get("ref") {
            Some(_) => format!("No commit found for the ref {revision}"),
            None => "This repository is empty.".to_owned(),
        };
        return Err(ApiError::refused(StatusCode::NOT_FOUND, message));
    };
    Ok(Tree {
        repository,
        git,
        revision,
        commit,
    })
}

async fn folder(call: &Call, tree: &Tree, oid: &Oid, path: &str) -> Answer {
    let entries = tree.git.tree(oid, false).await?;
    let entries = entries.ok_or(ApiError::NotFound)?.into_iter();
    call.show(|view| {
        let shown = entries.map(|mut found| {
            if !path.is_empty() {
                found.path = format!("{path}/{}", found.path);
            }
            entry(view, &tree.repository, &tree.revision, &found)
        });
        Ok(shown.collect())
    })
}

async fn file(call: &Call, tree: &Tree, found: &TreeEntry) -> Answer {
    let content = tree.git.blob(&found.oid).await?;
    let content = content.ok_or(ApiError::NotFound)?;
    if Media::from_headers(&call.headers) == Media::Raw {
        return Ok(([(CONTENT_TYPE, Media::Raw.content_type())], content).into_response());
    }
    let mut body = call
        .app
        .show(|view| Ok(entry(view, &tree.repository, &tree.revision, found)))?;
    if found.is_symlink() {
        body["target"] = json!(String::from_utf8_lossy(&content));
    } else if content.len() > MAX_CONTENT_LEN {
        body["content"] = json!("");
        body["encoding"] = json!("none");
    } else {
        body["content"] = json!(in_lines(&STANDARD.encode(&content)));
        body["encoding"] = json!("base64");
    }
    ok(body)
}

/// Each line ends with a line break, the last one, too.
fn in_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / LINE + 1);
    for line in text.as_bytes().chunks(LINE) {
        lines.push_str(&String::from_utf8_lossy(line));
        lines.push('\n');
    }
    lines
}
