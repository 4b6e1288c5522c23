use async_graphql::{Context, ID, Object, Result};

use super::{Payload, check, inputs, payloads};
use crate::actions::comments as actions;
use crate::graphql::access::access;
use crate::graphql::connection::Edge;
use crate::graphql::enums::ReportedContentClassifiers;
use crate::graphql::lookup;
use crate::graphql::objects::{IssueComment, IssueComments, Minimizable, Node};
use crate::store::comments::Comment;
use crate::store::repositories::Permission;

inputs! {
    AddCommentInput {
        body: String,
        subject_id: ID,
    }
    UpdateIssueCommentInput {
        body: String,
        id: ID,
    }
    DeleteIssueCommentInput {
        id: ID,
    }
    MinimizeCommentInput {
        classifier: ReportedContentClassifiers,
        subject_id: ID,
    }
    UnminimizeCommentInput {
        subject_id: ID,
    }
}

payloads! {
    AddCommentPayload { comment_edge: Edge<IssueComments>, subject: Node }
    UpdateIssueCommentPayload { issue_comment: IssueComment }
    DeleteIssueCommentPayload {}
    MinimizeCommentPayload { minimized_comment: Minimizable }
    UnminimizeCommentPayload { unminimized_comment: Minimizable }
}

#[derive(Default)]
pub(super) struct Mutations;

#[Object]
impl Mutations {
    async fn add_comment(
        &self,
        ctx: &Context<'_>,
        input: AddCommentInput,
    ) -> Payload<AddCommentPayload> {
        Some(add(ctx, input).await)
    }

    async fn update_issue_comment(
        &self,
        ctx: &Context<'_>,
        input: UpdateIssueCommentInput,
    ) -> Payload<UpdateIssueCommentPayload> {
        Some(update(ctx, input).await)
    }

    async fn delete_issue_comment(
        &self,
        ctx: &Context<'_>,
        input: DeleteIssueCommentInput,
    ) -> Payload<DeleteIssueCommentPayload> {
        Some(delete(ctx, input).await)
    }

    async fn minimize_comment(
        &self,
        ctx: &Context<'_>,
        input: MinimizeCommentInput,
    ) -> Payload<MinimizeCommentPayload> {
        let reason = input.classifier.as_str().to_owned();
        let folded = fold(ctx, &input.subject_id, Some(reason)).await;
        Some(folded.map(|comment| MinimizeCommentPayload {
            client_mutation_id: input.client_mutation_id,
            minimized_comment: Some(Minimizable::IssueComment(comment)),
        }))
    }

    async fn unminimize_comment(
        &self,
        ctx: &Context<'_>,
        input: UnminimizeCommentInput,
    ) -> Payload<UnminimizeCommentPayload> {
        let shown = fold(ctx, &input.subject_id, None).await;
        Some(shown.map(|comment| UnminimizeCommentPayload {
            client_mutation_id: input.client_mutation_id,
            unminimized_comment: Some(Minimizable::IssueComment(comment)),
        }))
    }
}

async fn add(ctx: &Context<'_>, input: AddCommentInput) -> Result<AddCommentPayload> {
    let subject = lookup::subject(ctx, &input.subject_id)?;
    let repository = subject.repository().clone();
    check(ctx, &repository, Permission::Read)?;
    let access = access(ctx);
    let issue = subject.row();
    let row = actions::create(
        &access.app,
        &access.caller,
        &repository.0,
        issue,
        input.body,
    )
    .await?;
    let comment = IssueComment {
        on_pull: issue.is_pull,
        number: issue.number,
        row,
        repository,
    };
    Ok(AddCommentPayload {
        client_mutation_id: input.client_mutation_id,
        comment_edge: Some(Edge::new(comment.row.id, comment)),
        subject: Some(lookup::subject(ctx, &input.subject_id)?.into()),
    })
}

async fn update(
    ctx: &Context<'_>,
    input: UpdateIssueCommentInput,
) -> Result<UpdateIssueCommentPayload> {
    let comment = lookup::issue_comment(ctx, &input.id)?;
    check(ctx, &comment.repository, Permission::Read)?;
    let access = access(ctx);
    let (repository, old) = (&comment.repository.0, comment.row.clone());
    let row = actions::update(&access.app, &access.caller, repository, old, input.body).await?;
    Ok(UpdateIssueCommentPayload {
        client_mutation_id: input.client_mutation_id,
        issue_comment: Some(with_row(comment, row)),
    })
}

async fn delete(
    ctx: &Context<'_>,
    input: DeleteIssueCommentInput,
) -> Result<DeleteIssueCommentPayload> {
    let comment = lookup::issue_comment(ctx, &input.id)?;
    check(ctx, &comment.repository, Permission::Read)?;
    let access = access(ctx);
    let repository = &comment.repository.0;
    actions::delete(&access.app, &access.caller, repository, comment.row).await?;
    Ok(DeleteIssueCommentPayload {
        client_mutation_id: input.client_mutation_id,
    })
}

/// Only comments of conversations can be folded away here.
async fn fold(ctx: &Context<'_>, id: &ID, reason: Option<String>) -> Result<IssueComment> {
    let comment = lookup::issue_comment(ctx, id)?;
    check(ctx, &comment.repository, Permission::Read)?;
    let access = access(ctx);
    let (repository, old) = (&comment.repository.0, comment.row.clone());
    let row = actions::set_minimized(&access.app, &access.caller, repository, old, reason).await?;
    Ok(with_row(comment, row))
}

fn with_row(comment: IssueComment, row: Comment) -> IssueComment {
    IssueComment { row, ..comment }
}
