//! git's own objects: refs, commits, trees, blobs and tags.

mod objects;
mod refs;

use axum::Router;

use crate::app::App;

pub(crate) use objects::PersonInput;

pub(crate) fn routes() -> Router<App> {
    Router::new().merge(objects::routes()).merge(refs::routes())
}
