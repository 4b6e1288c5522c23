//! What every resolver is given: the forge, and who asks.

use async_graphql::Context;
use rusqlite::Connection;

use super::errors::QueryError;
use super::limits::Demand;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::store::users::User;
use crate::urls::Urls;

pub(super) struct Access {
    pub(super) app: App,
    pub(super) caller: Caller,
    pub(super) demand: Demand,
}

/// The endpoint puts it into every request.
pub(super) fn access<'a>(ctx: &Context<'a>) -> &'a Access {
    ctx.data_unchecked()
}

/// For the many resolvers that do one look.
pub(super) fn read<T>(
    ctx: &Context<'_>,
    look: impl FnOnce(&Connection) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    access(ctx).app.read(look)
}

pub(super) fn urls<'a>(ctx: &Context<'a>) -> &'a Urls {
    access(ctx).app.urls()
}

/// Who asks. The endpoint lets nobody in without a token.
pub(super) fn viewer<'a>(ctx: &Context<'a>) -> Result<&'a User, QueryError> {
    access(ctx).caller.user().map_err(QueryError::from)
}
