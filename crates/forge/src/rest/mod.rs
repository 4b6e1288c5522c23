//! GitHub's REST API. One file per resource: its routes and what they read from a request. How a row
//! becomes GitHub's JSON is in `views`.

mod artifacts;
mod background_merges;
mod branch_protection;
mod branches;
mod call;
mod checks;
mod comments;
mod commits;
mod compare;
mod contents;
mod deployments;
pub(crate) mod downloads;
mod faults;
mod feed;
pub(crate) mod hooks;
mod issue_filter;
mod issues;
mod labels;
mod media;
mod pagination;
mod payload;
mod prelude;
mod pulls;
mod refs;
mod repositories;
mod review_comments;
mod reviews;
mod root;
mod rulesets;
mod stacks;
mod workflow_runs;

use axum::Router;

use crate::app::App;

pub(crate) use root::first_page;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .merge(artifacts::routes())
        .merge(background_merges::routes())
        .merge(branch_protection::routes())
        .merge(branches::routes())
        .merge(checks::routes())
        .merge(comments::routes())
        .merge(commits::routes())
        .merge(compare::routes())
        .merge(contents::routes())
        .merge(deployments::routes())
        .merge(hooks::routes())
        .merge(issues::routes())
        .merge(labels::routes())
        .merge(pulls::routes())
        .merge(refs::routes())
        .merge(repositories::routes())
        .merge(review_comments::routes())
        .merge(reviews::routes())
        .merge(root::routes())
        .merge(rulesets::routes())
        .merge(stacks::routes())
        .merge(workflow_runs::routes())
}

/// What GitHub's API has no name for, below `/_forge`.
pub(crate) fn own_routes() -> Router<App> {
    Router::new()
        .merge(downloads::routes())
        .merge(faults::routes())
        .merge(feed::routes())
}
