mod read;
mod write;

use axum::Router;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::ApiError;
use crate::git::{EntryKind, TreeEntry};
use crate::rest::view::View;
use crate::store::repositories::Repository;
use crate::urls::{encoded, encoded_path};

pub(crate) fn routes() -> Router<App> {
    Router::new().merge(read::routes()).merge(write::routes())
}

/// Base64 as people send it: with line breaks.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, ApiError> {
    let compact: String = text.split_whitespace().collect();
    STANDARD
        .decode(compact)
        .map_err(|_| ApiError::Unprocessable("content is not valid Base64".to_owned()))
}

/// What a file, folder, link or submodule has in common. `revision` is what
/// the caller named, and stands in the addresses.
fn entry(view: View<'_>, repository: &Repository, revision: &str, found: &TreeEntry) -> Value {
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
