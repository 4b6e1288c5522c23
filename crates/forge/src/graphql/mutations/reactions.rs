use async_graphql::{Context, ID, Object, Result};

use super::{Payload, check, inputs, payloads};
use crate::actions::reactions as actions;
use crate::graphql::access::{access, read, viewer};
use crate::graphql::enums::ReactionContent;
use crate::graphql::errors::QueryError;
use crate::graphql::lookup;
use crate::graphql::objects::{Reactable, Reaction, ReactionGroup};
use crate::store::reactions::of_subject;
use crate::store::repositories::Permission;

inputs! {
    AddReactionInput {
        content: ReactionContent,
        subject_id: ID,
    }
    RemoveReactionInput {
        content: ReactionContent,
        subject_id: ID,
    }
}

payloads! {
    AddReactionPayload { reaction: Reaction, reaction_groups: Vec<ReactionGroup>, subject: Reactable }
    RemoveReactionPayload { reaction: Reaction, reaction_groups: Vec<ReactionGroup>, subject: Reactable }
}

#[derive(Default)]
pub(super) struct Mutations;

#[Object]
impl Mutations {
    async fn add_reaction(
        &self,
        ctx: &Context<'_>,
        input: AddReactionInput,
    ) -> Payload<AddReactionPayload> {
        Some(add(ctx, input).await)
    }

    async fn remove_reaction(
        &self,
        ctx: &Context<'_>,
        input: RemoveReactionInput,
    ) -> Payload<RemoveReactionPayload> {
        Some(remove(ctx, input).await)
    }
}

async fn add(ctx: &Context<'_>, input: AddReactionInput) -> Result<AddReactionPayload> {
    let target = lookup::reactable(ctx, &input.subject_id)?;
    let (subject, row, repository) = target.place();
    check(ctx, repository, Permission::Read)?;
    let access = access(ctx);
    let content = input.content.as_str().to_owned();
    let (app, caller) = (&access.app, &access.caller);
    let (reaction, _) = actions::add(app, caller, &repository.0, subject, row, content).await?;
    Ok(AddReactionPayload {
        client_mutation_id: input.client_mutation_id,
        reaction: Some(Reaction(reaction)),
        reaction_groups: target.groups(ctx)?,
        subject: Some(target),
    })
}

async fn remove(ctx: &Context<'_>, input: RemoveReactionInput) -> Result<RemoveReactionPayload> {
    let target = lookup::reactable(ctx, &input.subject_id)?;
    let (subject, row, repository) = target.place();
    check(ctx, repository, Permission::Read)?;
    let viewer = viewer(ctx)?.id;
    let given = read(ctx, |connection| Ok(of_subject(connection, subject, row)?))?;
    let own = given
        .into_iter()
        .find(|given| given.user.id == viewer && given.content == input.content.as_str());
    let own = own.ok_or_else(|| QueryError::unprocessable("You have not reacted in this way."))?;
    let access = access(ctx);
    actions::remove(&access.app, &access.caller, &own).await?;
    Ok(RemoveReactionPayload {
        client_mutation_id: input.client_mutation_id,
        reaction: Some(Reaction(own)),
        reaction_groups: target.groups(ctx)?,
        subject: Some(target),
    })
}
