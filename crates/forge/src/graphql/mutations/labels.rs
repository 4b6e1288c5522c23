use async_graphql::{Context, ID, Object, Result};

use super::{Payload, check, inputs, label_names, payloads};
use crate::actions::change::Change;
use crate::actions::labels::{self as actions, LabelEdit};
use crate::error::ApiError;
use crate::graphql::access::access;
use crate::graphql::lookup;
use crate::graphql::objects::{Label, Labelable};
use crate::store::issues::Issue;
use crate::store::labels as rows;
use crate::store::repositories::Permission;

inputs! {
    AddLabelsToLabelableInput {
        label_ids: Vec<ID>,
        labelable_id: ID,
    }
    RemoveLabelsFromLabelableInput {
        label_ids: Vec<ID>,
        labelable_id: ID,
    }
    ClearLabelsFromLabelableInput {
        labelable_id: ID,
    }
    CreateLabelInput {
        color: String,
        description: Option<String>,
        name: String,
        repository_id: ID,
    }
    UpdateLabelInput {
        color: Option<String>,
        description: Option<String>,
        id: ID,
        name: Option<String>,
    }
    DeleteLabelInput {
        id: ID,
    }
}

payloads! {
    AddLabelsToLabelablePayload { labelable: Labelable }
    RemoveLabelsFromLabelablePayload { labelable: Labelable }
    ClearLabelsFromLabelablePayload { labelable: Labelable }
    CreateLabelPayload { label: Label }
    UpdateLabelPayload { label: Label }
    DeleteLabelPayload {}
}

#[derive(Default)]
pub(super) struct Mutations;

#[Object]
impl Mutations {
    async fn add_labels_to_labelable(
        &self,
        ctx: &Context<'_>,
        input: AddLabelsToLabelableInput,
    ) -> Payload<AddLabelsToLabelablePayload> {
        let done = relabel(
            ctx,
            &input.labelable_id,
            &input.label_ids,
            |change, issue, names| actions::add(change, issue, names),
        );
        Some(done.await.map(|labelable| AddLabelsToLabelablePayload {
            client_mutation_id: input.client_mutation_id,
            labelable: Some(labelable),
        }))
    }

    async fn remove_labels_from_labelable(
        &self,
        ctx: &Context<'_>,
        input: RemoveLabelsFromLabelableInput,
    ) -> Payload<RemoveLabelsFromLabelablePayload> {
        let done = relabel(
            ctx,
            &input.labelable_id,
            &input.label_ids,
            |change, issue, names| {
                for label in rows::of_issue(change.transaction, issue.id)? {
                    if names.contains(&label.name) {
                        actions::remove(change, issue, &label)?;
                    }
                }
                Ok(())
            },
        );
        Some(
            done.await
                .map(|labelable| RemoveLabelsFromLabelablePayload {
                    client_mutation_id: input.client_mutation_id,
                    labelable: Some(labelable),
                }),
        )
    }

    async fn clear_labels_from_labelable(
        &self,
        ctx: &Context<'_>,
        input: ClearLabelsFromLabelableInput,
    ) -> Payload<ClearLabelsFromLabelablePayload> {
        let done = relabel(ctx, &input.labelable_id, &[], |change, issue, names| {
            actions::replace(change, issue, names)
        });
        Some(done.await.map(|labelable| ClearLabelsFromLabelablePayload {
            client_mutation_id: input.client_mutation_id,
            labelable: Some(labelable),
        }))
    }

    async fn create_label(
        &self,
        ctx: &Context<'_>,
        input: CreateLabelInput,
    ) -> Payload<CreateLabelPayload> {
        Some(create(ctx, input).await)
    }

    async fn update_label(
        &self,
        ctx: &Context<'_>,
        input: UpdateLabelInput,
    ) -> Payload<UpdateLabelPayload> {
        Some(update(ctx, input).await)
    }

    async fn delete_label(
        &self,
        ctx: &Context<'_>,
        input: DeleteLabelInput,
    ) -> Payload<DeleteLabelPayload> {
        Some(delete(ctx, input).await)
    }
}

/// What is done with the labels of these names.
type Relabelling = fn(Change<'_>, &Issue, &[String]) -> Result<(), ApiError>;

async fn relabel(
    ctx: &Context<'_>,
    id: &ID,
    label_ids: &[ID],
    how: Relabelling,
) -> Result<Labelable> {
    let subject = lookup::subject(ctx, id)?;
    let repository = subject.repository();
    check(ctx, repository, Permission::Triage)?;
    let names = label_names(ctx, repository, label_ids)?;
    let (access, issue) = (access(ctx), subject.row().clone());
    let user = access.caller.user()?;
    access
        .app
        .change(&repository.0, user, move |change| {
            how(change, &issue, &names)
        })
        .await?;
    Ok(lookup::subject(ctx, id)?.into())
}

async fn create(ctx: &Context<'_>, input: CreateLabelInput) -> Result<CreateLabelPayload> {
    let repository = lookup::repository(ctx, &input.repository_id)?;
    check(ctx, &repository, Permission::Write)?;
    let edit = LabelEdit {
        color: Some(input.color),
        description: input.description.map(Some),
        ..LabelEdit::default()
    };
    let access = access(ctx);
    let (app, caller) = (&access.app, &access.caller);
    let row = actions::create(app, caller, &repository.0, input.name, edit).await?;
    Ok(CreateLabelPayload {
        client_mutation_id: input.client_mutation_id,
        label: Some(Label { row, repository }),
    })
}

async fn update(ctx: &Context<'_>, input: UpdateLabelInput) -> Result<UpdateLabelPayload> {
    let Label { row, repository } = lookup::label(ctx, &input.id)?;
    check(ctx, &repository, Permission::Write)?;
    let edit = LabelEdit {
        name: input.name,
        color: input.color,
        description: input.description.map(Some),
    };
    let access = access(ctx);
    let row = actions::update(&access.app, &access.caller, &repository.0, row, edit).await?;
    Ok(UpdateLabelPayload {
        client_mutation_id: input.client_mutation_id,
        label: Some(Label { row, repository }),
    })
}

async fn delete(ctx: &Context<'_>, input: DeleteLabelInput) -> Result<DeleteLabelPayload> {
    let Label { row, repository } = lookup::label(ctx, &input.id)?;
    check(ctx, &repository, Permission::Write)?;
    let access = access(ctx);
    actions::delete(&access.app, &access.caller, &repository.0, row).await?;
    Ok(DeleteLabelPayload {
        client_mutation_id: input.client_mutation_id,
    })
}
