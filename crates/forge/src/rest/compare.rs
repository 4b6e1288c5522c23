//! Comparing two commits.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use baton_host::git::Oid;

use super::media::Media;
use super::prelude::*;
use crate::git::{Distance, GitRepository, HistoryRange};
use crate::store::repositories;
use crate::urls::encoded_path;
use crate::views::commits::{commit, file};

/// GitHub lists no more files than these.
const MAX_FILES: usize = 300;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/repos/{owner}/{repo}/compare/{basehead}", get(compare))
}

async fn compare(call: Call) -> Answer {
    let (repository, git) = call.git()?;
    let names = call.path("basehead").split_once("...");
    let (base_name, head_name) = names.ok_or(ApiError::NotFound)?;
    let (base, base_git) = side(&call, &repository, &git, base_name).await?;
    let (head, head_git) = side(&call, &repository, &git, head_name).await?;
    // The fork's commits may not be here, and the base's not there.
    let git = if base_git.has(&head).await? {
        base_git
    } else {
        head_git
    };
    if !git.has(&base).await? {
        return Err(ApiError::NotFound);
    }
    let merge_base = git.merge_base(&base, &head).await?.ok_or_else(|| {
        let message = format!("No common ancestor between {base_name} and {head_name}.");
        ApiError::refused(StatusCode::NOT_FOUND, message)
    })?;
    let media = Media::from_headers(&call.headers);
    let text = match media {
        Media::Diff => git.diff_text(&merge_base, &head).await?,
        Media::Patch => git.mail_patches(&base, &head).await?,
        Media::Json | Media::Raw | Media::Sha => {
            let (body, total) = body(&call, &repository, &git, [&base, &head, &merge_base]).await?;
            return Ok(call.paging.wrap(body, total));
        }
    };
    Ok(([(CONTENT_TYPE, media.content_type())], text).into_response())
}

/// `main`, an id, or `octo:main` for the same branch of a fork.
async fn side(
    call: &Call,
    repository: &Repository,
    git: &GitRepository,
    name: &str,
) -> Result<(Oid, GitRepository)> {
    let (git, name) = match name.split_once(':') {
        None => (git.clone(), name),
        Some((owner, branch)) => {
            let relative = call.read(|conn| {
                let found = repositories::fork_of_owner(conn, repository, owner)?;
                let found = found.ok_or(ApiError::NotFound)?;
                call.caller.check(conn, &found, Permission::Read)?;
                Ok(found)
            })?;
            (call.app.git(&relative), branch)
        }
    };
    let oid = git.resolve_commit(name).await?.ok_or(ApiError::NotFound)?;
    Ok((oid, git))
}

/// The answer, and how many commits there are in all.
async fn body(
    call: &Call,
    repository: &Repository,
    git: &GitRepository,
    [base, head, merge_base]: [&Oid; 3],
) -> Result<(Value, usize)> {
    let Distance { ahead, behind } = git.distance(base, head).await?;
    let range = HistoryRange {
        exclude: Some(base),
        oldest_first: true,
        ..HistoryRange::new(head)
    };
    let oids = call.paging.page(git.history(&range).await?);
    let commits = git.commits(&oids).await?;
    let ends = git.commits(&[base.clone(), merge_base.clone()]).await?;
    let [base_commit, merge_base_commit] = ends.as_slice() else {
        return Err(ApiError::internal("a compared commit is gone"));
    };
    let files = git.diff(merge_base, head).await?;
    let path = format!("/compare/{}", encoded_path(call.path("basehead")));
    let status = match (ahead, behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    };
    let body = call.app.show(|view| {
        let shown = commits.iter().map(|found| commit(view, repository, found));
        let files = files.iter().take(MAX_FILES);
        let files = files.map(|changed| file(view, repository, head.as_str(), changed));
        Ok(json!({
            "url": view.api(repository, &path),
            "html_url": view.page(repository, &path),
            "permalink_url": view.page(repository, &format!("/compare/{base}...{head}")),
            "diff_url": view.page(repository, &format!("{path}.diff")),
            "patch_url": view.page(repository, &format!("{path}.patch")),
            "base_commit": commit(view, repository, base_commit)?,
            "merge_base_commit": commit(view, repository, merge_base_commit)?,
            "status": status,
            "ahead_by": ahead,
            "behind_by": behind,
            "total_commits": ahead,
            "commits": shown.collect::<Result<Vec<_>, _>>()?,
            "files": files.collect::<Vec<_>>(),
        }))
    })?;
    Ok((body, ahead))
}
