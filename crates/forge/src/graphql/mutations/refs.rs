use async_graphql::{Context, ID, Object, Result};

use super::{Payload, check, inputs, payloads};
use crate::actions::refs as actions;
use crate::graphql::access::access;
use crate::graphql::errors::QueryError;
use crate::graphql::lookup;
use crate::graphql::objects::{Issue, LinkedBranch, Ref, Repository};
use crate::graphql::scalars::GitObjectId;
use crate::node_id::{Kind, NodeId, parse};
use crate::store::linked_branches;
use crate::store::repositories::Permission;

inputs! {
    CreateRefInput {
        name: String,
        oid: GitObjectId,
        repository_id: ID,
    }
    UpdateRefInput {
        #[graphql(default_with = "Some(false)")]
        force: Option<bool>,
        oid: GitObjectId,
        ref_id: ID,
    }
    DeleteRefInput {
        ref_id: ID,
    }
    CreateLinkedBranchInput {
        issue_id: ID,
        name: Option<String>,
        oid: GitObjectId,
        repository_id: Option<ID>,
    }
}

payloads! {
    CreateRefPayload { #[graphql(name = "ref")] reference: Ref }
    UpdateRefPayload { #[graphql(name = "ref")] reference: Ref }
    DeleteRefPayload {}
    CreateLinkedBranchPayload { issue: Issue, linked_branch: LinkedBranch }
}

#[derive(Default)]
pub(super) struct RefMutations;

#[Object]
impl RefMutations {
    async fn create_ref(
        &self,
        ctx: &Context<'_>,
        input: CreateRefInput,
    ) -> Payload<CreateRefPayload> {
        Some(create(ctx, input).await)
    }

    async fn update_ref(
        &self,
        ctx: &Context<'_>,
        input: UpdateRefInput,
    ) -> Payload<UpdateRefPayload> {
        Some(update(ctx, input).await)
    }

    async fn delete_ref(
        &self,
        ctx: &Context<'_>,
        input: DeleteRefInput,
    ) -> Payload<DeleteRefPayload> {
        Some(delete(ctx, input).await)
    }

    async fn create_linked_branch(
        &self,
        ctx: &Context<'_>,
        input: CreateLinkedBranchInput,
    ) -> Payload<CreateLinkedBranchPayload> {
        Some(create_linked_branch(ctx, input).await)
    }
}

async fn create(ctx: &Context<'_>, input: CreateRefInput) -> Result<CreateRefPayload> {
    let repository = lookup::repository(ctx, &input.repository_id)?;
    let made = make(ctx, &repository, &input.name, &input.oid.0).await?;
    Ok(CreateRefPayload {
        client_mutation_id: input.client_mutation_id,
        reference: Some(made),
    })
}

async fn make(ctx: &Context<'_>, repository: &Repository, name: &str, oid: &str) -> Result<Ref> {
    check(ctx, repository, Permission::Write)?;
    let access = access(ctx);
    let made = actions::create(&access.app, &access.caller, &repository.0, name, oid).await?;
    Ok(Ref::new(
        made.name,
        made.oid.to_string(),
        repository.clone(),
    ))
}

async fn update(ctx: &Context<'_>, input: UpdateRefInput) -> Result<UpdateRefPayload> {
    let (repository, name) = named(ctx, &input.ref_id)?;
    check(ctx, &repository, Permission::Write)?;
    let access = access(ctx);
    let (app, caller, force) = (&access.app, &access.caller, input.force.unwrap_or(false));
    let moved = actions::update(app, caller, &repository.0, &name, &input.oid.0, force).await?;
    Ok(UpdateRefPayload {
        client_mutation_id: input.client_mutation_id,
        reference: Some(Ref::new(moved.name, moved.oid.to_string(), repository)),
    })
}

async fn delete(ctx: &Context<'_>, input: DeleteRefInput) -> Result<DeleteRefPayload> {
    let (repository, name) = named(ctx, &input.ref_id)?;
    check(ctx, &repository, Permission::Write)?;
    let access = access(ctx);
    actions::delete(&access.app, &access.caller, &repository.0, &name).await?;
    Ok(DeleteRefPayload {
        client_mutation_id: input.client_mutation_id,
    })
}

/// Without a name, the branch is called after the issue, as at GitHub.
async fn create_linked_branch(
    ctx: &Context<'_>,
    input: CreateLinkedBranchInput,
) -> Result<CreateLinkedBranchPayload> {
    let issue = lookup::issue(ctx, &input.issue_id)?;
    let repository = match &input.repository_id {
        Some(id) => lookup::repository(ctx, id)?,
        None => issue.repository.clone(),
    };
    let name = input
        .name
        .unwrap_or_else(|| branch_name(issue.row.number, &issue.row.title));
    let name = format!("refs/heads/{}", name.trim_start_matches("refs/heads/"));
    make(ctx, &repository, &name, &input.oid.0).await?;
    let (issue_id, repository_id) = (issue.row.id, repository.0.id);
    let linked = access(ctx)
        .app
        .write(move |transaction| {
            Ok(linked_branches::add(
                transaction,
                issue_id,
                repository_id,
                &name,
            )?)
        })
        .await?;
    Ok(CreateLinkedBranchPayload {
        client_mutation_id: input.client_mutation_id,
        issue: Some(issue),
        linked_branch: Some(LinkedBranch(linked)),
    })
}

/// The repository and the full name.
fn named(ctx: &Context<'_>, id: &ID) -> Result<(Repository, String)> {
    let unknown = || QueryError::unknown_id(id);
    let Some(NodeId::Named(Kind::Ref, repository, name)) = parse(id) else {
        return Err(unknown().into());
    };
    let repository = Repository::visible(ctx, repository)?.ok_or_else(unknown)?;
    Ok((repository, name))
}

/// `12-make-it-work`.
fn branch_name(number: i64, title: &str) -> String {
    let mut name = number.to_string();
    let words = title.split(|c: char| !c.is_ascii_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        name.push('-');
        name.push_str(&word.to_ascii_lowercase());
    }
    name.truncate(LONGEST_BRANCH);
    name.trim_end_matches('-').to_owned()
}

/// A title may have 256 characters; a branch need not.
const LONGEST_BRANCH: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_called_after_its_issue() {
        assert_eq!(branch_name(12, "Make it work!"), "12-make-it-work");
        assert_eq!(branch_name(7, "$(rm -rf ~) ü"), "7-rm-rf");
        assert_eq!(branch_name(3, "…"), "3");
        assert_eq!(branch_name(1, &"word ".repeat(50)).len(), LONGEST_BRANCH);
    }
}
