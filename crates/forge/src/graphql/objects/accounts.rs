use async_graphql::{ID, Interface};

use super::{Bot, Organization, User};
use crate::graphql::scalars::Uri;
use crate::store::users::{self, UserKind};

/// Whoever does something.
#[derive(Interface)]
#[graphql(
    field(
        name = "avatar_url",
        ty = "Uri",
        arg(name = "size", ty = "Option<i32>")
    ),
    field(name = "login", ty = "&str"),
    field(name = "resource_path", ty = "Uri"),
    field(name = "url", ty = "Uri")
)]
pub(in crate::graphql) enum Actor {
    User(User),
    Organization(Organization),
    Bot(Bot),
}

impl From<users::User> for Actor {
    fn from(row: users::User) -> Self {
        match row.kind {
            UserKind::User => Self::User(User(row)),
            UserKind::Organization => Self::Organization(Organization(row)),
            UserKind::Bot => Self::Bot(Bot(row)),
        }
    }
}

/// Whoever has repositories.
#[derive(Interface)]
#[graphql(
    field(
        name = "avatar_url",
        ty = "Uri",
        arg(name = "size", ty = "Option<i32>")
    ),
    field(name = "id", ty = "ID"),
    field(name = "login", ty = "&str"),
    field(name = "resource_path", ty = "Uri"),
    field(name = "url", ty = "Uri")
)]
pub(in crate::graphql) enum RepositoryOwner {
    User(User),
    Organization(Organization),
}

impl From<users::User> for RepositoryOwner {
    fn from(row: users::User) -> Self {
        match row.kind {
            UserKind::Organization => Self::Organization(Organization(row)),
            UserKind::User | UserKind::Bot => Self::User(User(row)),
        }
    }
}
