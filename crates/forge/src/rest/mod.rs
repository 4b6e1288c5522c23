//! GitHub's REST API. One file per resource: its routes, what they read from a
//! request, and how a row becomes GitHub's JSON.

mod apps;
mod artifacts;
mod assignees;
pub(crate) mod branch_protection;
mod branches;
pub(crate) mod check_runs;
pub(crate) mod check_suites;
mod collaborators;
pub(crate) mod comments;
pub(crate) mod commit_statuses;
pub(crate) mod commits;
mod contents;
pub(crate) mod deployments;
pub(crate) mod downloads;
mod faults;
mod feed;
mod git_data;
pub(crate) mod head_commit;
pub(crate) mod hooks;
pub(crate) mod input;
pub(crate) mod issues;
pub(crate) mod labels;
pub(crate) mod media;
pub(crate) mod milestones;
mod organizations;
mod pagination;
mod payload;
mod pull_references;
pub(crate) mod pulls;
pub(crate) mod reactions;
pub(crate) mod repositories;
pub(crate) mod review_comments;
pub(crate) mod reviews;
mod root;
pub(crate) mod rulesets;
mod search;
pub(crate) mod timeline;
pub(crate) mod users;
pub(crate) mod view;
pub(crate) mod workflow_jobs;
pub(crate) mod workflow_runs;
pub(crate) mod workflows;

use axum::Router;

use crate::app::App;

pub(crate) use pagination::Paging;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .merge(artifacts::routes())
        .merge(assignees::routes())
        .merge(branch_protection::routes())
        .merge(branches::routes())
        .merge(check_runs::routes())
        .merge(check_suites::routes())
        .merge(collaborators::routes())
        .merge(comments::routes())
        .merge(commit_statuses::routes())
        .merge(commits::routes())
        .merge(contents::routes())
        .merge(deployments::routes())
        .merge(git_data::routes())
        .merge(hooks::routes())
        .merge(issues::routes())
        .merge(labels::routes())
        .merge(milestones::routes())
        .merge(organizations::routes())
        .merge(pulls::routes())
        .merge(reactions::routes())
        .merge(repositories::routes())
        .merge(review_comments::routes())
        .merge(reviews::routes())
        .merge(rulesets::routes())
        .merge(root::routes())
        .merge(search::routes())
        .merge(timeline::routes())
        .merge(users::routes())
        .merge(workflow_jobs::routes())
        .merge(workflow_runs::routes())
        .merge(workflows::routes())
}

/// What GitHub has no words for, below `/_forge`.
pub(crate) fn own_routes() -> Router<App> {
    Router::new()
        .merge(downloads::routes())
        .merge(faults::routes())
        .merge(feed::routes())
}
