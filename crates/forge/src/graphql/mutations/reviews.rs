use async_graphql::{Context, ID, InputObject, Object, Result};

use super::{Payload, inputs, payloads};
use crate::actions::reviews::{self as actions, DraftComment, NewReview, Opinion};
use crate::graphql::access::{access, read, viewer};
use crate::graphql::connection::Edge;
use crate::graphql::enums::{DiffSide, PullRequestReviewEvent};
use crate::graphql::errors::QueryError;
use crate::graphql::lookup;
use crate::graphql::objects::{PullRequestReview, PullRequestReviews};
use crate::graphql::scalars::GitObjectId;
use crate::store::review_threads::{Side, Subject};
use crate::store::reviews;

#[derive(InputObject)]
pub(super) struct DraftPullRequestReviewComment {
    body: String,
    path: String,
    position: i32,
}

#[derive(InputObject)]
pub(super) struct DraftPullRequestReviewThread {
    body: String,
    line: i32,
    path: String,
    #[graphql(default_with = "Some(DiffSide::Right)")]
    side: Option<DiffSide>,
    start_line: Option<i32>,
    #[graphql(default_with = "Some(DiffSide::Right)")]
    start_side: Option<DiffSide>,
}

inputs! {
    AddPullRequestReviewInput {
        body: Option<String>,
        comments: Option<Vec<Option<DraftPullRequestReviewComment>>>,
        #[graphql(name = "commitOID")]
        commit_oid: Option<GitObjectId>,
        event: Option<PullRequestReviewEvent>,
        pull_request_id: ID,
        threads: Option<Vec<Option<DraftPullRequestReviewThread>>>,
    }
    SubmitPullRequestReviewInput {
        body: Option<String>,
        event: PullRequestReviewEvent,
        pull_request_id: Option<ID>,
        pull_request_review_id: Option<ID>,
    }
    UpdatePullRequestReviewInput {
        body: String,
        pull_request_review_id: ID,
    }
    DismissPullRequestReviewInput {
        message: String,
        pull_request_review_id: ID,
    }
    DeletePullRequestReviewInput {
        pull_request_review_id: ID,
    }
}

payloads! {
    AddPullRequestReviewPayload {
        pull_request_review: PullRequestReview,
        review_edge: Edge<PullRequestReviews>,
    }
    SubmitPullRequestReviewPayload { pull_request_review: PullRequestReview }
    UpdatePullRequestReviewPayload { pull_request_review: PullRequestReview }
    DismissPullRequestReviewPayload { pull_request_review: PullRequestReview }
    DeletePullRequestReviewPayload { pull_request_review: PullRequestReview }
}

#[derive(Default)]
pub(super) struct Mutations;

#[Object]
impl Mutations {
    async fn add_pull_request_review(
        &self,
        ctx: &Context<'_>,
        input: AddPullRequestReviewInput,
    ) -> Payload<AddPullRequestReviewPayload> {
        Some(add(ctx, input).await)
    }

    async fn submit_pull_request_review(
        &self,
        ctx: &Context<'_>,
        input: SubmitPullRequestReviewInput,
    ) -> Payload<SubmitPullRequestReviewPayload> {
        Some(submit(ctx, input).await)
    }

    async fn update_pull_request_review(
        &self,
        ctx: &Context<'_>,
        input: UpdatePullRequestReviewInput,
    ) -> Payload<UpdatePullRequestReviewPayload> {
        Some(update(ctx, input).await)
    }

    async fn dismiss_pull_request_review(
        &self,
        ctx: &Context<'_>,
        input: DismissPullRequestReviewInput,
    ) -> Payload<DismissPullRequestReviewPayload> {
        Some(dismiss(ctx, input).await)
    }

    async fn delete_pull_request_review(
        &self,
        ctx: &Context<'_>,
        input: DeletePullRequestReviewInput,
    ) -> Payload<DeletePullRequestReviewPayload> {
        Some(delete(ctx, input).await)
    }
}

/// Without an event the review stays pending.
async fn add(
    ctx: &Context<'_>,
    input: AddPullRequestReviewInput,
) -> Result<AddPullRequestReviewPayload> {
    let pull = lookup::pull_request(ctx, &input.pull_request_id)?;
    let comments = input.comments.unwrap_or_default().into_iter().flatten();
    let threads = input.threads.unwrap_or_default().into_iter().flatten();
    let new = NewReview {
        commit: input.commit_oid.map(|oid| oid.0),
        body: input.body,
        opinion: input.event.map(opinion).transpose()?,
        comments: comments
            .map(DraftComment::from)
            .chain(threads.map(DraftComment::from))
            .collect(),
    };
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &pull.repository.0);
    let row = actions::create(app, caller, repository, &pull.row, new).await?;
    let review = PullRequestReview::new(row, pull);
    Ok(AddPullRequestReviewPayload {
        client_mutation_id: input.client_mutation_id,
        review_edge: Some(Edge::new(review.row.id, review.clone())),
        pull_request_review: Some(review),
    })
}

/// Named by its own id, or as the caller's pending one of a pull request.
async fn submit(
    ctx: &Context<'_>,
    input: SubmitPullRequestReviewInput,
) -> Result<SubmitPullRequestReviewPayload> {
    let review = match (&input.pull_request_review_id, &input.pull_request_id) {
        (Some(id), _) => lookup::review(ctx, id)?,
        (None, Some(id)) => {
            let pull = lookup::pull_request(ctx, id)?;
            let viewer = viewer(ctx)?.id;
            let row = read(ctx, |connection| {
                Ok(reviews::pending_of(connection, pull.row.id(), viewer)?)
            })?;
            let row = row.ok_or_else(|| {
                QueryError::not_found("There is no pending review of yours to submit.")
            })?;
            PullRequestReview::new(row, pull)
        }
        (None, None) => {
            return Err(QueryError::unprocessable(
                "Either `pullRequestId` or `pullRequestReviewId` is required.",
            )
            .into());
        }
    };
    let access = access(ctx);
    let row = actions::submit(
        &access.app,
        &access.caller,
        &review.pull.repository.0,
        &review.pull.row,
        &review.row,
        opinion(input.event)?,
        input.body,
    )
    .await?;
    Ok(SubmitPullRequestReviewPayload {
        client_mutation_id: input.client_mutation_id,
        pull_request_review: Some(PullRequestReview::new(row, review.pull)),
    })
}

async fn update(
    ctx: &Context<'_>,
    input: UpdatePullRequestReviewInput,
) -> Result<UpdatePullRequestReviewPayload> {
    let review = lookup::review(ctx, &input.pull_request_review_id)?;
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &review.pull.repository.0);
    let row = actions::edit(app, caller, repository, &review.row, input.body).await?;
    Ok(UpdatePullRequestReviewPayload {
        client_mutation_id: input.client_mutation_id,
        pull_request_review: Some(PullRequestReview::new(row, review.pull)),
    })
}

async fn dismiss(
    ctx: &Context<'_>,
    input: DismissPullRequestReviewInput,
) -> Result<DismissPullRequestReviewPayload> {
    let review = lookup::review(ctx, &input.pull_request_review_id)?;
    let access = access(ctx);
    let pull = &review.pull;
    let row = actions::dismiss(
        &access.app,
        &access.caller,
        &pull.repository.0,
        &pull.row,
        &review.row,
        input.message,
    )
    .await?;
    Ok(DismissPullRequestReviewPayload {
        client_mutation_id: input.client_mutation_id,
        pull_request_review: Some(PullRequestReview::new(row, review.pull)),
    })
}

async fn delete(
    ctx: &Context<'_>,
    input: DeletePullRequestReviewInput,
) -> Result<DeletePullRequestReviewPayload> {
    let review = lookup::review(ctx, &input.pull_request_review_id)?;
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &review.pull.repository.0);
    actions::delete_pending(app, caller, repository, &review.row).await?;
    Ok(DeletePullRequestReviewPayload {
        client_mutation_id: input.client_mutation_id,
        pull_request_review: Some(review),
    })
}

fn opinion(event: PullRequestReviewEvent) -> Result<Opinion, QueryError> {
    match event {
        PullRequestReviewEvent::Comment => Ok(Opinion::Comment),
        PullRequestReviewEvent::Approve => Ok(Opinion::Approve),
        PullRequestReviewEvent::RequestChanges => Ok(Opinion::RequestChanges),
        PullRequestReviewEvent::Dismiss => Err(QueryError::unprocessable(
            "A review is dismissed with `dismissPullRequestReview`.",
        )),
    }
}

pub(super) fn line(number: i32) -> Option<u32> {
    u32::try_from(number).ok()
}

impl From<DraftPullRequestReviewComment> for DraftComment {
    fn from(draft: DraftPullRequestReviewComment) -> Self {
        Self {
            path: draft.path,
            body: draft.body,
            position: line(draft.position),
            line: None,
            side: Side::Right,
            start_line: None,
            start_side: None,
            subject: Subject::Line,
        }
    }
}

impl From<DraftPullRequestReviewThread> for DraftComment {
    fn from(draft: DraftPullRequestReviewThread) -> Self {
        let start_line = draft.start_line.and_then(line);
        Self {
            path: draft.path,
            body: draft.body,
            position: None,
            line: line(draft.line),
            side: draft.side.unwrap_or(DiffSide::Right).into(),
            start_line,
            start_side: start_line.and(draft.start_side.map(Into::into)),
            subject: Subject::Line,
        }
    }
}
