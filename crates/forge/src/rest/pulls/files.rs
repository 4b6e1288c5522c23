use axum::extract::{Path, State};
use axum::response::Response;

use super::{PullPath, find};
use crate::actions::pulls as actions;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::{Paging, commits};

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
            commits::file(view, &repository, &pull.head_sha, &found)
        }))
    })
}

pub(super) async fn list_commits(
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
            .map(|commit| commits::commit(view, &repository, commit))
            .collect();
        Ok(paging.answer(items?, total))
    })
}
