//! GitHub's REST API. One file per resource: its routes, what they read from a
//! request, and how a row becomes GitHub's JSON.

mod apps;
mod artifacts;
mod check_runs;
mod check_suites;
mod commit_statuses;
pub(crate) mod downloads;
mod feed;
mod head_commit;
mod minimal_repository;
mod pagination;
mod payload;
mod pull_references;
mod users;
mod workflow_jobs;
mod workflow_runs;
mod workflows;

use axum::Router;

use crate::app::App;

pub(crate) use pagination::Paging;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .merge(artifacts::routes())
        .merge(check_runs::routes())
        .merge(check_suites::routes())
        .merge(commit_statuses::routes())
        .merge(downloads::routes())
        .merge(feed::routes())
        .merge(users::routes())
        .merge(workflow_jobs::routes())
        .merge(workflow_runs::routes())
        .merge(workflows::routes())
}
