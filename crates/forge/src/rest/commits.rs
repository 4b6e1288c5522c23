//! Commits.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use baton_host::git::Oid;

use super::media::Media;
use super::prelude::*;
use crate::git::{FileDiff, GitRepository, HistoryRange};
use crate::views::commits::{commit, file};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/commits", get(list))
        .route("/repos/{owner}/{repo}/commits/{ref}", get(one))
}

/// The commit that a caller names: by id, branch or tag.
pub(super) async fn find_commit(git: &GitRepository, name: &str) -> Result<Oid> {
    let found = git.resolve_commit(name).await?;
    found.ok_or_else(|| ApiError::Unprocessable(format!("No commit found for SHA: {name}")))
}

/// Nothing has been pushed yet.
pub(super) fn empty_repository() -> ApiError {
    ApiError::refused(StatusCode::CONFLICT, "Git Repository is empty.")
}

async fn list(call: Call) -> Answer {
    let (repository, git) = call.git()?;
    let start = call.get("sha").unwrap_or(&repository.default_branch);
    let Some(head) = git.resolve_commit(start).await? else {
        let is_empty = git.refs(&["refs/heads"]).await?.is_empty();
        return Err(if is_empty {
            empty_repository()
        } else {
            ApiError::NotFound
        });
    };
    let range = HistoryRange {
        path: call.get("path").filter(|path| !path.is_empty()),
        author: call.get("author"),
        since: call.get("since"),
        until: call.get("until"),
        skip: call.paging.offset(),
        limit: Some(call.paging.limit()),
        ..HistoryRange::new(&head)
    };
    let oids = git.history(&range).await?;
    let total = git.count_history(&range).await?;
    let commits = git.commits(&oids).await?;
    let items = call.app.show(|view| {
        let shown = commits.iter().map(|found| commit(view, &repository, found));
        shown.collect()
    })?;
    Ok(call.paging.answer(items, total))
}

async fn one(call: Call) -> Answer {
    let (repository, git) = call.git()?;
    let oid = find_commit(&git, call.path("ref")).await?;
    let found = git.commit(&oid).await?.ok_or(ApiError::NotFound)?;
    // A commit's changes are those against its first parent.
    let base = match found.parents.first() {
        Some(parent) => parent.clone(),
        None => git.empty_tree().await?,
    };
    let media = Media::from_headers(&call.headers);
    let text = match media {
        Media::Sha => oid.to_string().into_bytes(),
        Media::Diff => git.diff_text(&base, &oid).await?,
        Media::Patch => git.mail_patch(&oid).await?,
        Media::Json | Media::Raw => {
            let files = git.diff(&base, &oid).await?;
            let body = call.app.show(|view| {
                let mut body = commit(view, &repository, &found)?;
                body["stats"] = stats(&files);
                let page = call.paging.files(&files).iter();
                body["files"] = page
                    .map(|changed| file(view, &repository, oid.as_str(), changed))
                    .collect();
                Ok(body)
            })?;
            return ok(body);
        }
    };
    Ok(([(CONTENT_TYPE, media.content_type())], text).into_response())
}

fn stats(files: &[FileDiff]) -> Value {
    let additions: u64 = files.iter().map(|file| file.additions).sum();
    let deletions: u64 = files.iter().map(|file| file.deletions).sum();
    json!({"total": additions + deletions, "additions": additions, "deletions": deletions})
}
