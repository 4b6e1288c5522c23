use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use baton_host::git::Oid;
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::git::{Distance, GitRepository, HistoryRange};
use crate::rest::Paging;
use crate::rest::media::Media;
use crate::store::repositories::{self, Permission, Repository};
use crate::urls::encoded_path;

use super::{commit, file, open};

/// GitHub lists no more files than these.
const MOST_FILES: usize = 300;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/repos/{owner}/{repo}/compare/{basehead}", get(compare))
}

async fn compare(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name, basehead)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repository, git) = open(&app, &caller, &owner, &name)?;
    let (base_name, head_name) = basehead.split_once("...").ok_or(ApiError::NotFound)?;
    let base = side(&app, &caller, &repository, &git, base_name).await?;
    let head = side(&app, &caller, &repository, &git, head_name).await?;
    // The fork's commits may not be here, and the base's not there.
    let git = if base.git.has(&head.oid).await? {
        base.git
    } else {
        head.git
    };
    if !git.has(&base.oid).await? {
        return Err(ApiError::NotFound);
    }
    let merge_base = git.merge_base(&base.oid, &head.oid).await?;
    let merge_base = merge_base.ok_or_else(|| ApiError::Refused {
        status: axum::http::StatusCode::NOT_FOUND,
        message: format!("No common ancestor between {base_name} and {head_name}."),
    })?;
    match Media::of(&headers) {
        media @ Media::Diff => {
            let text = git.diff_text(&merge_base, &head.oid).await?;
            return Ok(([(CONTENT_TYPE, media.content_type())], text).into_response());
        }
        media @ Media::Patch => {
            let text = git.mail_patches(&base.oid, &head.oid).await?;
            return Ok(([(CONTENT_TYPE, media.content_type())], text).into_response());
        }
        Media::Json | Media::Raw | Media::Sha => {}
    }
    let comparison = Comparison {
        base: base.oid,
        head: head.oid,
        merge_base,
    };
    let (body, total) = comparison
        .show(&app, &repository, &git, &paging, &basehead)
        .await?;
    Ok(paging.wrap(body, total))
}

/// One side of a comparison.
struct Side {
    oid: Oid,
    git: GitRepository,
}

/// `main`, an id, or `octo:main` for the same branch of a fork.
async fn side(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    git: &GitRepository,
    name: &str,
) -> Result<Side, ApiError> {
    let (git, name) = match name.split_once(':') {
        None => (git.clone(), name),
        Some((owner, branch)) => {
            let relative = relative_of(app, caller, repository, owner)?;
            (app.git(&relative), branch)
        }
    };
    let oid = git.resolve_commit(name).await?.ok_or(ApiError::NotFound)?;
    Ok(Side { oid, git })
}

/// The repository of the same network that an account owns.
fn relative_of(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    owner: &str,
) -> Result<Repository, ApiError> {
    if repository.owner.login.eq_ignore_ascii_case(owner) {
        return Ok(repository.clone());
    }
    app.read(|connection| {
        let mut relatives = repositories::forks_of(connection, repository.id)?;
        if let Some(parent) = repository.fork_of {
            relatives.push(repositories::by_id(connection, parent)?);
            relatives.extend(repositories::forks_of(connection, parent)?);
        }
        let found = relatives
            .into_iter()
            .find(|relative| relative.owner.login.eq_ignore_ascii_case(owner));
        let found = found.ok_or(ApiError::NotFound)?;
        caller.check(connection, &found, Permission::Read)?;
        Ok(found)
    })
}

struct Comparison {
    base: Oid,
    head: Oid,
    merge_base: Oid,
}

impl Comparison {
    /// The answer, and how many commits there are in all.
    async fn show(
        &self,
        app: &App,
        repository: &Repository,
        git: &GitRepository,
        paging: &Paging,
        basehead: &str,
    ) -> Result<(Value, usize), ApiError> {
        let Distance { ahead, behind } = git.distance(&self.base, &self.head).await?;
        let range = HistoryRange {
            exclude: Some(&self.base),
            oldest_first: true,
            ..HistoryRange::of(&self.head)
        };
        let oids = paging.of(git.history(&range).await?);
        let commits = git.commits(&oids).await?;
        let ends = git
            .commits(&[self.base.clone(), self.merge_base.clone()])
            .await?;
        let [base, merge_base] = ends.as_slice() else {
            return Err(ApiError::internal("a compared commit is gone"));
        };
        let files = git.diff(&self.merge_base, &self.head).await?;
        let address = encoded_path(basehead);
        let page = |view: crate::rest::view::View<'_>, suffix: &str| {
            view.page(repository, &format!("/compare/{address}{suffix}"))
        };
        let body = app.show(|view| {
            let shown: Result<Vec<_>, _> = commits
                .iter()
                .map(|found| commit(view, repository, found))
                .collect();
            let head = self.head.as_str();
            Ok(json!({
                "url": view.api(repository, &format!("/compare/{address}")),
                "html_url": page(view, ""),
                "permalink_url": view.page(
                    repository,
                    &format!("/compare/{}...{}", self.base, self.head),
                ),
                "diff_url": page(view, ".diff"),
                "patch_url": page(view, ".patch"),
                "base_commit": commit(view, repository, base)?,
                "merge_base_commit": commit(view, repository, merge_base)?,
                "status": status(ahead, behind),
                "ahead_by": ahead,
                "behind_by": behind,
                "total_commits": ahead,
                "commits": shown?,
                "files": files
                    .iter()
                    .take(MOST_FILES)
                    .map(|changed| file(view, repository, head, changed))
                    .collect::<Vec<_>>(),
            }))
        })?;
        Ok((body, ahead))
    }
}

fn status(ahead: usize, behind: usize) -> &'static str {
    match (ahead, behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    }
}
