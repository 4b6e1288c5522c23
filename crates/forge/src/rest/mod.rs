//! GitHub's REST API. One file per resource: its routes, what they read from a
//! request, and how a row becomes GitHub's JSON.

mod assignees;
pub(crate) mod comments;
pub(crate) mod input;
pub(crate) mod issues;
pub(crate) mod labels;
pub(crate) mod milestones;
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
        .merge(comments::routes())
        .merge(issues::routes())
        .merge(labels::routes())
        .merge(milestones::routes())
        .merge(reactions::routes())
        .merge(repositories::routes())
        .merge(users::routes())
}
