use async_graphql::{Context, ID, Object, Result};

use super::access::{access, read, viewer};
use super::errors::QueryError;
use super::objects::{Node, Organization, Repository, RepositoryOwner, User};
use crate::error::ApiError;
use crate::store::repositories::Permission;
use crate::store::users::{self, UserKind};

pub(super) struct Query;

#[Object]
impl Query {
    async fn node(&self, ctx: &Context<'_>, id: ID) -> Option<Result<Node>> {
        Some(Node::load(ctx, &id).await)
    }

    async fn nodes(&self, ctx: &Context<'_>, ids: Vec<ID>) -> Vec<Option<Result<Node>>> {
        let mut nodes = Vec::with_capacity(ids.len());
        for id in ids {
            nodes.push(Some(Node::load(ctx, &id).await));
        }
        nodes
    }

    async fn organization(&self, ctx: &Context<'_>, login: String) -> Option<Result<Organization>> {
        let found = account(ctx, &login, |kind| kind == UserKind::Organization);
        Some(found.and_then(|found| {
            let row = found.ok_or_else(|| {
                QueryError::not_found(format!(
                    "Could not resolve to an Organization with the login of '{login}'."
                ))
            })?;
            Ok(Organization(row))
        }))
    }

    async fn repository(
        &self,
        ctx: &Context<'_>,
        owner: String,
        name: String,
        #[graphql(default_with = "Some(true)")] follow_renames: Option<bool>,
    ) -> Option<Result<Repository>> {
        Some(named_repository(
            ctx,
            &owner,
            &name,
            follow_renames != Some(false),
        ))
    }

    async fn repository_owner(
        &self,
        ctx: &Context<'_>,
        login: String,
    ) -> Result<Option<RepositoryOwner>> {
        let found = account(ctx, &login, |kind| kind != UserKind::Bot)?;
        Ok(found.map(RepositoryOwner::from))
    }

    async fn user(&self, ctx: &Context<'_>, login: String) -> Option<Result<User>> {
        let found = account(ctx, &login, |kind| kind == UserKind::User);
        Some(found.and_then(|found| {
            let row = found.ok_or_else(|| {
                QueryError::not_found(format!(
                    "Could not resolve to a User with the login of '{login}'."
                ))
            })?;
            Ok(User(row))
        }))
    }

    async fn viewer(&self, ctx: &Context<'_>) -> Result<User> {
        Ok(User(viewer(ctx)?.clone()))
    }
}

fn account(
    ctx: &Context<'_>,
    login: &str,
    fits: impl FnOnce(UserKind) -> bool,
) -> Result<Option<users::User>> {
    let found = read(ctx, |connection| Ok(users::by_login(connection, login)?))?;
    Ok(found.filter(|found| fits(found.kind)))
}

fn named_repository(
    ctx: &Context<'_>,
    owner: &str,
    name: &str,
    follow_renames: bool,
) -> Result<Repository> {
    let access = access(ctx);
    let found = access.app.read(|connection| {
        access
            .caller
            .repository(connection, owner, name, Permission::Read)
    });
    let missing = || {
        QueryError::not_found(format!(
            "Could not resolve to a Repository with the name '{owner}/{name}'."
        ))
    };
    match found {
        Ok(row) => {
            let renamed = !row.name.eq_ignore_ascii_case(name);
            if renamed && !follow_renames {
                return Err(missing().into());
            }
            Ok(Repository::new(row))
        }
        Err(ApiError::NotFound) => Err(missing().into()),
        Err(other) => Err(other.into()),
    }
}
