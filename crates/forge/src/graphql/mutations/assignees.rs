use async_graphql::{Context, ID, Object, Result};

use super::{Payload, check, inputs, payloads};
use crate::actions::assignees as actions;
use crate::actions::change::Change;
use crate::error::ApiError;
use crate::graphql::access::access;
use crate::graphql::lookup;
use crate::graphql::objects::Assignable;
use crate::store::assignees as rows;
use crate::store::issues::Issue;
use crate::store::repositories::Permission;

inputs! {
    AddAssigneesToAssignableInput {
        assignable_id: ID,
        assignee_ids: Vec<ID>,
    }
    RemoveAssigneesFromAssignableInput {
        assignable_id: ID,
        assignee_ids: Vec<ID>,
    }
}

payloads! {
    AddAssigneesToAssignablePayload { assignable: Assignable }
    RemoveAssigneesFromAssignablePayload { assignable: Assignable }
}

#[derive(Default)]
pub(super) struct Mutations;

#[Object]
impl Mutations {
    async fn add_assignees_to_assignable(
        &self,
        ctx: &Context<'_>,
        input: AddAssigneesToAssignableInput,
    ) -> Payload<AddAssigneesToAssignablePayload> {
        let done = reassign(
            ctx,
            &input.assignable_id,
            &input.assignee_ids,
            |change, issue, who| actions::add_all(change, issue, who),
        );
        Some(
            done.await
                .map(|assignable| AddAssigneesToAssignablePayload {
                    client_mutation_id: input.client_mutation_id,
                    assignable: Some(assignable),
                }),
        )
    }

    async fn remove_assignees_from_assignable(
        &self,
        ctx: &Context<'_>,
        input: RemoveAssigneesFromAssignableInput,
    ) -> Payload<RemoveAssigneesFromAssignablePayload> {
        let done = reassign(
            ctx,
            &input.assignable_id,
            &input.assignee_ids,
            |change, issue, who| {
                for user in rows::of_issue(change.transaction, issue.id)? {
                    if who.contains(&user.login) {
                        actions::remove(change, issue, &user)?;
                    }
                }
                Ok(())
            },
        );
        Some(
            done.await
                .map(|assignable| RemoveAssigneesFromAssignablePayload {
                    client_mutation_id: input.client_mutation_id,
                    assignable: Some(assignable),
                }),
        )
    }
}

/// What is done with the users of these logins.
type Reassigning = fn(Change<'_>, &Issue, &[String]) -> Result<(), ApiError>;

async fn reassign(
    ctx: &Context<'_>,
    id: &ID,
    user_ids: &[ID],
    how: Reassigning,
) -> Result<Assignable> {
    let subject = lookup::subject(ctx, id)?;
    let repository = subject.repository();
    check(ctx, repository, Permission::Triage)?;
    let logins = lookup::logins(ctx, user_ids)?;
    let (access, issue) = (access(ctx), subject.row().clone());
    let user = access.caller.user()?;
    access
        .app
        .change(&repository.0, user, move |change| {
            how(change, &issue, &logins)
        })
        .await?;
    Ok(lookup::subject(ctx, id)?.into())
}
