use std::sync::Arc;

use async_graphql::{Context, ID, Object, Result};

use super::RepositoryOwner;
use crate::graphql::access::{access, read, urls};
use crate::graphql::enums::{RepositoryPermission, RepositoryVisibility};
use crate::graphql::scalars::{DateTime, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::repositories;

#[derive(Debug, Clone)]
pub(in crate::graphql) struct Repository(pub(in crate::graphql) Arc<repositories::Repository>);

#[Object]
impl Repository {
    async fn created_at(&self) -> DateTime {
        self.0.created_at.as_str().into()
    }

    async fn id(&self) -> ID {
        ID(node_id(Kind::Repository, self.0.id))
    }

    async fn name(&self) -> &str {
        &self.0.name
    }

    async fn name_with_owner(&self) -> String {
        self.0.full_name()
    }

    async fn owner(&self) -> RepositoryOwner {
        self.0.owner.clone().into()
    }

    async fn viewer_permission(&self, ctx: &Context<'_>) -> Result<Option<RepositoryPermission>> {
        let user = access(ctx).caller.user.as_ref();
        let given = read(ctx, |connection| {
            Ok(repositories::permission(connection, &self.0, user)?)
        })?;
        Ok(RepositoryPermission::of(given))
    }
}
