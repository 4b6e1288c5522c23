use async_graphql::{Context, ID, Object, Result};

use super::{Ref, Repository};
use crate::graphql::connection::connections;
use crate::node_id::{Kind, node_id};
use crate::store::linked_branches;

/// A branch that was made to work on an issue.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct LinkedBranch(pub(in crate::graphql) linked_branches::LinkedBranch);

connections! {
    LinkedBranches: LinkedBranchConnection, LinkedBranchEdge, LinkedBranch;
}

#[Object]
impl LinkedBranch {
    async fn id(&self) -> ID {
        ID(node_id(Kind::LinkedBranch, self.0.id))
    }

    #[graphql(name = "ref")]
    async fn reference(&self, ctx: &Context<'_>) -> Result<Option<Ref>> {
        match Repository::visible(ctx, self.0.repository_id)? {
            Some(repository) => repository.named(ctx, self.0.ref_name.clone()),
            None => Ok(None),
        }
    }
}
