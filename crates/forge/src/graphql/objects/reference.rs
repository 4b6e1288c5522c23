use async_graphql::{Context, ID, Object, Result};
use baton_host::git::Oid;

use super::listings::{PullRequestListing, listed_pulls};
use super::{
    BranchProtectionRule, GitObject, PullRequestConnection, RefUpdateRule, Repository, conversation,
};
use crate::actions::rules;
use crate::graphql::access::read;
use crate::graphql::connection::connections;
use crate::graphql::enums::{IssueOrder, PullRequestState};
use crate::graphql::page::Page;
use crate::node_id::{Kind, named_node_id};
use crate::store::repositories::Permission;

/// A branch or a tag, as the forge last saw it.
#[derive(Debug, Clone)]
pub(in crate::graphql) struct Ref {
    /// In full.
    name: String,
    oid: String,
    repository: Repository,
}

connections! {
    Refs: RefConnection, RefEdge, Ref;
}

const BRANCHES: &str = "refs/heads/";

#[Object]
impl Ref {
    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn associated_pull_requests(
        &self,
        ctx: &Context<'_>,
        states: Option<Vec<PullRequestState>>,
        labels: Option<Vec<String>>,
        base_ref_name: Option<String>,
        order_by: Option<IssueOrder>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<PullRequestConnection> {
        let page = Page::new(ctx, (after, before), (first, last))?;
        let listing = PullRequestListing {
            states,
            labels,
            head_ref_name: Some(self.short_name().to_owned()),
            base_ref_name,
            order_by,
        };
        Ok(listed_pulls(ctx, &page, &self.repository, listing)?)
    }

    async fn branch_protection_rule(
        &self,
        ctx: &Context<'_>,
    ) -> Result<Option<BranchProtectionRule>> {
        let Some(branch) = self.name.strip_prefix(BRANCHES) else {
            return Ok(None);
        };
        let repository = &self.repository;
        // All others have `refUpdateRule`.
        if conversation::permission(ctx, repository)? < Permission::Admin {
            return Ok(None);
        }
        let row = read(ctx, |connection| {
            rules::protection_of(connection, repository.0.id, branch)
        })?;
        Ok(row.map(|row| BranchProtectionRule {
            row,
            repository: repository.clone(),
        }))
    }

    pub(super) async fn id(&self) -> ID {
        ID(named_node_id(Kind::Ref, self.repository.0.id, &self.name))
    }

    async fn name(&self) -> &str {
        self.short_name()
    }

    async fn prefix(&self) -> &str {
        let (prefix, _) = self
            .name
            .split_at(self.name.len() - self.short_name().len());
        prefix
    }

    async fn ref_update_rule(&self, ctx: &Context<'_>) -> Result<Option<RefUpdateRule>> {
        let Some(branch) = self.name.strip_prefix(BRANCHES) else {
            return Ok(None);
        };
        Ok(RefUpdateRule::of(ctx, &self.repository, branch)?)
    }

    async fn repository(&self) -> &Repository {
        &self.repository
    }

    async fn target(&self, ctx: &Context<'_>) -> Result<Option<GitObject>> {
        match Oid::parse(&self.oid) {
            Some(oid) => GitObject::load(ctx, &self.repository, &oid).await,
            None => Ok(None),
        }
    }
}

impl Ref {
    pub(in crate::graphql) fn new(name: String, oid: String, repository: Repository) -> Self {
        Self {
            name,
            oid,
            repository,
        }
    }

    /// Without `refs/heads/` or `refs/tags/`.
    fn short_name(&self) -> &str {
        let rest = self.name.strip_prefix("refs/").unwrap_or(&self.name);
        rest.split_once('/').map_or(rest, |(_, name)| name)
    }
}
