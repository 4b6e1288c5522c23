//! GitHub's REST API. One file per resource: its routes, what they read from a
//! request, and how a row becomes GitHub's JSON.

pub(crate) mod input;
mod pagination;
pub(crate) mod repositories;
pub(crate) mod users;
pub(crate) mod view;

use axum::Router;

use crate::app::App;

pub(crate) use pagination::Paging;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .merge(repositories::routes())
        .merge(users::routes())
}
