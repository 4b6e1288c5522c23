use async_graphql::{Context, Object, Result};
use std::sync::Arc;

use super::access::{access, read, viewer};
use super::errors::QueryError;
use super::objects::{Repository, User};
use crate::error::ApiError;
use crate::store::repositories::Permission;
use crate::store::users::{self, UserKind};

pub(super) struct Query;

#[Object]
impl Query {
    async fn repository(
        &self,
        ctx: &Context<'_>,
        owner: String,
        name: String,
    ) -> Option<Result<Repository>> {
        let access = access(ctx);
        let found = access.app.read(|connection| {
            access
                .caller
                .repository(connection, &owner, &name, Permission::Read)
        });
        Some(match found {
            Ok(row) => Ok(Repository(Arc::new(row))),
            Err(ApiError::NotFound) => Err(QueryError::not_found(format!(
                "Could not resolve to a Repository with the name '{owner}/{name}'."
            ))
            .into()),
            Err(other) => Err(other.into()),
        })
    }

    async fn user(&self, ctx: &Context<'_>, login: String) -> Option<Result<User>> {
        let find = || -> Result<User> {
            let found = read(ctx, |connection| Ok(users::by_login(connection, &login)?))?;
            let user = found.filter(|user| user.kind == UserKind::User);
            Ok(User(user.ok_or_else(|| {
                QueryError::not_found(format!(
                    "Could not resolve to a User with the login of '{login}'."
                ))
            })?))
        };
        Some(find())
    }

    async fn viewer(&self, ctx: &Context<'_>) -> Result<User> {
        Ok(User(viewer(ctx)?.clone()))
    }
}
