//! Branches and tags.

use baton_host::git::Oid;

use super::rules::{BranchProtectionRule, ref_update_rule};
use super::{Repo, git_object, listings};
use crate::actions::rules;
use crate::graphql::prelude::*;
use crate::node_id::named_node_id;
use crate::store::refs;

/// A branch or a tag, as the forge last saw it.
pub(crate) struct Ref {
    /// In full.
    name: String,
    oid: String,
    repository: Arc<Repository>,
}

impl Ref {
    pub(crate) fn new(name: String, oid: String, repository: &Arc<Repository>) -> Self {
        Self {
            name,
            oid,
            repository: Arc::clone(repository),
        }
    }

    /// By its full name.
    pub(crate) fn find(
        cx: &Context,
        repository: &Arc<Repository>,
        name: &str,
    ) -> Result<Option<Self>, QueryError> {
        let oid = cx.rows(|conn| refs::find(conn, repository.id, name))?;
        Ok(oid.map(|oid| Self::new(name.to_owned(), oid, repository)))
    }

    pub(super) fn branch(
        cx: &Context,
        repository: &Arc<Repository>,
        name: &str,
    ) -> Result<Option<Self>, QueryError> {
        Self::find(cx, repository, &format!("refs/heads/{name}"))
    }

    /// Without `refs/heads/` or `refs/tags/`.
    fn short_name(&self) -> &str {
        let rest = self.name.strip_prefix("refs/").unwrap_or(&self.name);
        rest.split_once('/').map_or(rest, |(_, name)| name)
    }
}

impl Object for Ref {
    kind!("Ref");

    fn facts(&self, _: &Context) -> Result<Value, QueryError> {
        let short = self.short_name();
        Ok(json!({
            "node_id": named_node_id(Kind::Ref, self.repository.id, &self.name),
            "name": short,
            "prefix": self.name.strip_suffix(short),
        }))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let repository = &self.repository;
        let branch = self.name.strip_prefix("refs/heads/");
        match (field.name, branch) {
            ("associatedPullRequests", _) => {
                listings::pulls(cx, field, repository, Some(self.short_name()))
            }
            // All others have `refUpdateRule`.
            ("branchProtectionRule", Some(branch))
                if cx.permission(repository)? == Permission::Admin =>
            {
                let row = cx.read(|conn| rules::protection_of(conn, repository.id, branch))?;
                maybe(row.map(|row| BranchProtectionRule(row, Arc::clone(repository))))
            }
            ("refUpdateRule", Some(branch)) => ref_update_rule(cx, repository, branch),
            ("branchProtectionRule" | "refUpdateRule", _) => plain(Value::Null),
            ("repository", _) => one(Repo(Arc::clone(repository))),
            ("target", _) => match Oid::parse(&self.oid) {
                Some(oid) => git_object(cx, repository, &oid).await,
                None => plain(Value::Null),
            },
            _ => Ok(Output::Fact),
        }
    }
}
