use async_graphql::{Context, ID, Object, Result};

use super::reviews::line;
use super::{Payload, inputs, payloads};
use crate::actions::reviews::{self as actions, DraftComment};
use crate::graphql::access::access;
use crate::graphql::access::read;
use crate::graphql::enums::{DiffSide, PullRequestReviewThreadSubjectType};
use crate::graphql::errors::QueryError;
use crate::graphql::lookup;
use crate::graphql::objects::{
    PullRequestReview, PullRequestReviewComment, PullRequestReviewThread,
};
use crate::store::review_threads::{self, Subject};
use crate::store::reviews::ReviewState;

inputs! {
    AddPullRequestReviewThreadInput {
        body: String,
        line: Option<i32>,
        path: String,
        pull_request_id: Option<ID>,
        pull_request_review_id: Option<ID>,
        #[graphql(default_with = "Some(DiffSide::Right)")]
        side: Option<DiffSide>,
        start_line: Option<i32>,
        #[graphql(default_with = "Some(DiffSide::Right)")]
        start_side: Option<DiffSide>,
        #[graphql(default_with = "Some(PullRequestReviewThreadSubjectType::Line)")]
        subject_type: Option<PullRequestReviewThreadSubjectType>,
    }
    AddPullRequestReviewThreadReplyInput {
        body: String,
        pull_request_review_id: Option<ID>,
        pull_request_review_thread_id: ID,
    }
    ResolveReviewThreadInput {
        thread_id: ID,
    }
    UnresolveReviewThreadInput {
        thread_id: ID,
    }
    UpdatePullRequestReviewCommentInput {
        body: String,
        pull_request_review_comment_id: ID,
    }
    DeletePullRequestReviewCommentInput {
        id: ID,
    }
}

payloads! {
    AddPullRequestReviewThreadPayload { thread: PullRequestReviewThread }
    AddPullRequestReviewThreadReplyPayload { comment: PullRequestReviewComment }
    ResolveReviewThreadPayload { thread: PullRequestReviewThread }
    UnresolveReviewThreadPayload { thread: PullRequestReviewThread }
    UpdatePullRequestReviewCommentPayload { pull_request_review_comment: PullRequestReviewComment }
    DeletePullRequestReviewCommentPayload {
        pull_request_review: PullRequestReview,
        pull_request_review_comment: PullRequestReviewComment,
    }
}

#[derive(Default)]
pub(super) struct Mutations;

#[Object]
impl Mutations {
    async fn add_pull_request_review_thread(
        &self,
        ctx: &Context<'_>,
        input: AddPullRequestReviewThreadInput,
    ) -> Payload<AddPullRequestReviewThreadPayload> {
        Some(begin(ctx, input).await)
    }

    async fn add_pull_request_review_thread_reply(
        &self,
        ctx: &Context<'_>,
        input: AddPullRequestReviewThreadReplyInput,
    ) -> Payload<AddPullRequestReviewThreadReplyPayload> {
        Some(reply(ctx, input).await)
    }

    async fn resolve_review_thread(
        &self,
        ctx: &Context<'_>,
        input: ResolveReviewThreadInput,
    ) -> Payload<ResolveReviewThreadPayload> {
        let settled = settle(ctx, &input.thread_id, true).await;
        Some(settled.map(|thread| ResolveReviewThreadPayload {
            client_mutation_id: input.client_mutation_id,
            thread: Some(thread),
        }))
    }

    async fn unresolve_review_thread(
        &self,
        ctx: &Context<'_>,
        input: UnresolveReviewThreadInput,
    ) -> Payload<UnresolveReviewThreadPayload> {
        let reopened = settle(ctx, &input.thread_id, false).await;
        Some(reopened.map(|thread| UnresolveReviewThreadPayload {
            client_mutation_id: input.client_mutation_id,
            thread: Some(thread),
        }))
    }

    async fn update_pull_request_review_comment(
        &self,
        ctx: &Context<'_>,
        input: UpdatePullRequestReviewCommentInput,
    ) -> Payload<UpdatePullRequestReviewCommentPayload> {
        Some(edit(ctx, input).await)
    }

    async fn delete_pull_request_review_comment(
        &self,
        ctx: &Context<'_>,
        input: DeletePullRequestReviewCommentInput,
    ) -> Payload<DeletePullRequestReviewCommentPayload> {
        Some(delete(ctx, input).await)
    }
}

/// A conversation in the caller's pending review, which is begun if need be.
async fn begin(
    ctx: &Context<'_>,
    input: AddPullRequestReviewThreadInput,
) -> Result<AddPullRequestReviewThreadPayload> {
    let pull = match (&input.pull_request_id, &input.pull_request_review_id) {
        (Some(id), _) => lookup::pull_request(ctx, id)?,
        (None, Some(id)) => pending(ctx, id)?.pull,
        (None, None) => {
            return Err(QueryError::unprocessable(
                "Either `pullRequestId` or `pullRequestReviewId` is required.",
            )
            .into());
        }
    };
    let start_line = input.start_line.and_then(line);
    let on_file = input.subject_type == Some(PullRequestReviewThreadSubjectType::File);
    let draft = DraftComment {
        path: input.path,
        body: input.body,
        position: None,
        line: input.line.and_then(line),
        side: input.side.unwrap_or(DiffSide::Right).into(),
        start_line,
        start_side: start_line.and(input.start_side.map(Into::into)),
        subject: if on_file {
            Subject::File
        } else {
            Subject::Line
        },
    };
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &pull.repository.0);
    let id = actions::add_pending_thread(app, caller, repository, &pull.row, draft).await?;
    let row = read(ctx, |connection| Ok(review_threads::by_id(connection, id)?))?;
    Ok(AddPullRequestReviewThreadPayload {
        client_mutation_id: input.client_mutation_id,
        thread: row.map(|row| PullRequestReviewThread::new(row, pull)),
    })
}

/// One's own review that is not submitted yet.
fn pending(ctx: &Context<'_>, id: &ID) -> Result<PullRequestReview> {
    let review = lookup::review(ctx, id)?;
    if review.row.state != ReviewState::Pending {
        return Err(QueryError::unprocessable("The review is not pending.").into());
    }
    Ok(review)
}

async fn reply(
    ctx: &Context<'_>,
    input: AddPullRequestReviewThreadReplyInput,
) -> Result<AddPullRequestReviewThreadReplyPayload> {
    let thread = lookup::review_thread(ctx, &input.pull_request_review_thread_id)?;
    let review = match &input.pull_request_review_id {
        Some(id) => Some(pending(ctx, id)?.row.id),
        None => None,
    };
    let access = access(ctx);
    let row = actions::reply(
        &access.app,
        &access.caller,
        &thread.pull.repository.0,
        &thread.pull.row,
        &thread.row,
        input.body,
        review,
    )
    .await?;
    Ok(AddPullRequestReviewThreadReplyPayload {
        client_mutation_id: input.client_mutation_id,
        comment: Some(PullRequestReviewComment::new(row, thread.pull)),
    })
}

async fn settle(ctx: &Context<'_>, id: &ID, resolved: bool) -> Result<PullRequestReviewThread> {
    let thread = lookup::review_thread(ctx, id)?;
    let access = access(ctx);
    let row = actions::set_resolved(
        &access.app,
        &access.caller,
        &thread.pull.repository.0,
        &thread.pull.row,
        &thread.row,
        resolved,
    )
    .await?;
    Ok(PullRequestReviewThread::new(row, thread.pull))
}

async fn edit(
    ctx: &Context<'_>,
    input: UpdatePullRequestReviewCommentInput,
) -> Result<UpdatePullRequestReviewCommentPayload> {
    let comment = lookup::review_comment(ctx, &input.pull_request_review_comment_id)?;
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &comment.pull.repository.0);
    let row = actions::edit_comment(app, caller, repository, &comment.row, input.body).await?;
    Ok(UpdatePullRequestReviewCommentPayload {
        client_mutation_id: input.client_mutation_id,
        pull_request_review_comment: Some(PullRequestReviewComment::new(row, comment.pull)),
    })
}

async fn delete(
    ctx: &Context<'_>,
    input: DeletePullRequestReviewCommentInput,
) -> Result<DeletePullRequestReviewCommentPayload> {
    let comment = lookup::review_comment(ctx, &input.id)?;
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &comment.pull.repository.0);
    actions::delete_comment(app, caller, repository, &comment.row).await?;
    let review = read(ctx, |connection| {
        Ok(crate::store::reviews::by_id(
            connection,
            comment.row.review_id,
        )?)
    })?;
    Ok(DeletePullRequestReviewCommentPayload {
        client_mutation_id: input.client_mutation_id,
        pull_request_review: review.map(|row| PullRequestReview::new(row, comment.pull)),
        // It is gone, and what it was about may be, too.
        pull_request_review_comment: None,
    })
}
