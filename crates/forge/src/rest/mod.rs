//! GitHub's REST API. One file per resource: its routes, what they read from a
//! request, and how a row becomes GitHub's JSON.

mod pagination;
mod users;

use axum::Router;

use crate::app::App;

pub(crate) use pagination::Paging;

pub(crate) fn routes() -> Router<App> {
    Router::new().merge(users::routes())
}
