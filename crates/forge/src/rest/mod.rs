//! GitHub's REST API. One file per resource: its routes, what they read from a
//! request, and how a row becomes GitHub's JSON.

mod assignees;
pub(crate) mod branch_protection;
mod branches;
mod collaborators;
pub(crate) mod comments;
pub(crate) mod commits;
mod contents;
pub(crate) mod deployments;
mod git_data;
pub(crate) mod input;
pub(crate) mod issues;
pub(crate) mod labels;
pub(crate) mod media;
pub(crate) mod milestones;
mod organizations;
mod pagination;
pub(crate) mod pulls;
pub(crate) mod reactions;
pub(crate) mod repositories;
pub(crate) mod review_comments;
pub(crate) mod reviews;
pub(crate) mod rulesets;
mod root;
mod search;
pub(crate) mod timeline;
pub(crate) mod users;
pub(crate) mod view;

use axum::Router;

use crate::app::App;

pub(crate) use pagination::Paging;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .merge(assignees::routes())
        .merge(branch_protection::routes())
        .merge(branches::routes())
        .merge(collaborators::routes())
        .merge(comments::routes())
        .merge(commits::routes())
        .merge(contents::routes())
        .merge(deployments::routes())
        .merge(git_data::routes())
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
}
