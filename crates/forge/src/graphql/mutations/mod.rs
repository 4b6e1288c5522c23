//! What can be done through GraphQL. An input is what GitHub calls it, with
//! the id that the client gives the mutation; a payload gives that id back.

mod assignees;
mod comments;
mod issues;
mod labels;
mod merging;
mod pull_requests;
mod reactions;
mod repositories;
mod review_threads;
mod reviews;

use async_graphql::{Context, ID, MergedObject, Result};

use super::access::access;
use super::lookup;
use super::objects::{Actor, Repository};
use crate::error::ApiError;
use crate::store::repositories::Permission;

#[derive(Default, MergedObject)]
pub(super) struct Mutation(
    assignees::Mutations,
    comments::Mutations,
    issues::Mutations,
    labels::Mutations,
    merging::Mutations,
    pull_requests::Mutations,
    reactions::Mutations,
    repositories::Mutations,
    review_threads::Mutations,
    reviews::Mutations,
);

/// GitHub's answer to a mutation that failed is a null, with the error beside
/// it.
type Payload<T> = Option<Result<T>>;

/// `payloads! { CloseIssuePayload { issue: Issue } }`: all fields may be null.
macro_rules! payloads {
    ($($payload:ident { $($field:ident: $ty:ty),* $(,)? })*) => {$(
        #[derive(async_graphql::SimpleObject)]
        pub(super) struct $payload {
            client_mutation_id: Option<String>,
            $($field: Option<$ty>,)*
        }
    )*};
}
use payloads;

/// `inputs! { CloseIssueInput { issue_id: ID } }`.
macro_rules! inputs {
    ($($input:ident { $($(#[$attribute:meta])* $field:ident: $ty:ty),* $(,)? })*) => {$(
        #[derive(async_graphql::InputObject)]
        pub(super) struct $input {
            client_mutation_id: Option<String>,
            $($(#[$attribute])* $field: $ty,)*
        }
    )*};
}
use inputs;

/// Whether the caller may do something there that needs this permission.
fn check(ctx: &Context<'_>, repository: &Repository, needed: Permission) -> Result<(), ApiError> {
    let access = access(ctx);
    access.caller.user()?;
    if repository.0.archived {
        return Err(ApiError::Forbidden(
            "Repository was archived so is read-only.".to_owned(),
        ));
    }
    access
        .app
        .read(|connection| access.caller.check(connection, &repository.0, needed))
}

/// Who did it.
fn actor(ctx: &Context<'_>) -> Option<Actor> {
    access(ctx).caller.user.clone().map(Actor::from)
}

/// The names of labels, all of one repository.
fn label_names(ctx: &Context<'_>, repository: &Repository, ids: &[ID]) -> Result<Vec<String>> {
    let names = ids.iter().map(|id| {
        let label = lookup::label(ctx, id)?;
        if label.repository.0.id != repository.0.id {
            return Err(super::errors::QueryError::unknown_id(id).into());
        }
        Ok(label.row.name)
    });
    names.collect()
}

/// The number of a milestone.
fn milestone_number(ctx: &Context<'_>, id: Option<&ID>) -> Result<Option<i64>> {
    match id {
        Some(id) => Ok(Some(lookup::milestone(ctx, id)?.row.number)),
        None => Ok(None),
    }
}
