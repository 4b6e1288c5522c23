//! GitHub's REST API. One file per resource: its routes, what they read from a
//! request, and how a row becomes GitHub's JSON.

mod assignees;
mod branches;
mod collaborators;
pub(crate) mod comments;
pub(crate) mod commits;
mod contents;
mod git_data;
pub(crate) mod input;
pub(crate) mod issues;
pub(crate) mod labels;
pub(crate) mod media;
pub(crate) mod milestones;
mod organizations;
mod pagination;
pub(crate) mod reactions;
pub(crate) mod repositories;
pub(crate) mod users;
pub(crate) mod view;

use axum::Router;

use crate::app::App;

pub(crate) use pagination::Paging;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .merge(assignees::routes())
        .merge(branches::routes())
        .merge(collaborators::routes())
        .merge(comments::routes())
        .merge(commits::routes())
        .merge(contents::routes())
        .merge(git_data::routes())
        .merge(issues::routes())
        .merge(labels::routes())
        .merge(milestones::routes())
        .merge(organizations::routes())
        .merge(reactions::routes())
        .merge(repositories::routes())
        .merge(users::routes())
}
