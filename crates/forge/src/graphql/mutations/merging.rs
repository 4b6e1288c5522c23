use async_graphql::{Context, ID, Object, Result};

use super::{Payload, actor, inputs, payloads};
use crate::actions::pulls::{self as actions, MergeOrder};
use crate::graphql::access::access;
use crate::graphql::enums::PullRequestMergeMethod;
use crate::graphql::errors::QueryError;
use crate::graphql::lookup;
use crate::graphql::objects::{Actor, MergeQueue, MergeQueueEntry, PullRequest};
use crate::graphql::scalars::GitObjectId;
use crate::store::pulls::MergeMethod;

inputs! {
    MergePullRequestInput {
        author_email: Option<String>,
        commit_body: Option<String>,
        commit_headline: Option<String>,
        expected_head_oid: Option<GitObjectId>,
        #[graphql(default_with = "Some(PullRequestMergeMethod::Merge)")]
        merge_method: Option<PullRequestMergeMethod>,
        pull_request_id: ID,
    }
    EnablePullRequestAutoMergeInput {
        author_email: Option<String>,
        commit_body: Option<String>,
        commit_headline: Option<String>,
        expected_head_oid: Option<GitObjectId>,
        #[graphql(default_with = "Some(PullRequestMergeMethod::Merge)")]
        merge_method: Option<PullRequestMergeMethod>,
        pull_request_id: ID,
    }
    DisablePullRequestAutoMergeInput {
        pull_request_id: ID,
    }
    EnqueuePullRequestInput {
        expected_head_oid: Option<GitObjectId>,
        jump: Option<bool>,
        pull_request_id: ID,
    }
    DequeuePullRequestInput {
        id: ID,
    }
}

payloads! {
    MergePullRequestPayload { actor: Actor, pull_request: PullRequest }
    EnablePullRequestAutoMergePayload { actor: Actor, pull_request: PullRequest }
    DisablePullRequestAutoMergePayload { actor: Actor, pull_request: PullRequest }
    EnqueuePullRequestPayload { merge_queue_entry: MergeQueueEntry }
    DequeuePullRequestPayload { merge_queue_entry: MergeQueueEntry }
}

#[derive(Default)]
pub(super) struct Mutations;

#[Object]
impl Mutations {
    async fn merge_pull_request(
        &self,
        ctx: &Context<'_>,
        input: MergePullRequestInput,
    ) -> Payload<MergePullRequestPayload> {
        Some(merge(ctx, input).await)
    }

    async fn enable_pull_request_auto_merge(
        &self,
        ctx: &Context<'_>,
        input: EnablePullRequestAutoMergeInput,
    ) -> Payload<EnablePullRequestAutoMergePayload> {
        Some(enable(ctx, input).await)
    }

    async fn disable_pull_request_auto_merge(
        &self,
        ctx: &Context<'_>,
        input: DisablePullRequestAutoMergeInput,
    ) -> Payload<DisablePullRequestAutoMergePayload> {
        Some(disable(ctx, input).await)
    }

    async fn enqueue_pull_request(
        &self,
        ctx: &Context<'_>,
        input: EnqueuePullRequestInput,
    ) -> Payload<EnqueuePullRequestPayload> {
        Some(enqueue(ctx, input).await)
    }

    async fn dequeue_pull_request(
        &self,
        ctx: &Context<'_>,
        input: DequeuePullRequestInput,
    ) -> Payload<DequeuePullRequestPayload> {
        Some(dequeue(ctx, input).await)
    }
}

fn method(asked: Option<PullRequestMergeMethod>) -> MergeMethod {
    asked.unwrap_or(PullRequestMergeMethod::Merge).into()
}

async fn merge(ctx: &Context<'_>, input: MergePullRequestInput) -> Result<MergePullRequestPayload> {
    let pull = lookup::pull_request(ctx, &input.pull_request_id)?;
    let order = MergeOrder {
        method: method(input.merge_method),
        expected_head: input.expected_head_oid.map(|oid| oid.0),
        title: input.commit_headline,
        message: input.commit_body,
    };
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &pull.repository.0);
    let row = actions::merge(app, caller, repository, &pull.row, &order).await?;
    Ok(MergePullRequestPayload {
        client_mutation_id: input.client_mutation_id,
        actor: actor(ctx),
        pull_request: Some(PullRequest::new(row, pull.repository)),
    })
}

async fn enable(
    ctx: &Context<'_>,
    input: EnablePullRequestAutoMergeInput,
) -> Result<EnablePullRequestAutoMergePayload> {
    let pull = lookup::pull_request(ctx, &input.pull_request_id)?;
    let order = MergeOrder {
        method: method(input.merge_method),
        expected_head: input.expected_head_oid.map(|oid| oid.0),
        title: input.commit_headline,
        message: input.commit_body,
    };
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &pull.repository.0);
    let row = actions::enable_auto_merge(app, caller, repository, &pull.row, order).await?;
    Ok(EnablePullRequestAutoMergePayload {
        client_mutation_id: input.client_mutation_id,
        actor: actor(ctx),
        pull_request: Some(PullRequest::new(row, pull.repository)),
    })
}

async fn disable(
    ctx: &Context<'_>,
    input: DisablePullRequestAutoMergeInput,
) -> Result<DisablePullRequestAutoMergePayload> {
    let pull = lookup::pull_request(ctx, &input.pull_request_id)?;
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &pull.repository.0);
    let row = actions::disable_auto_merge(app, caller, repository, &pull.row).await?;
    Ok(DisablePullRequestAutoMergePayload {
        client_mutation_id: input.client_mutation_id,
        actor: actor(ctx),
        pull_request: Some(PullRequest::new(row, pull.repository)),
    })
}

async fn enqueue(
    ctx: &Context<'_>,
    input: EnqueuePullRequestInput,
) -> Result<EnqueuePullRequestPayload> {
    let pull = lookup::pull_request(ctx, &input.pull_request_id)?;
    if let Some(expected) = &input.expected_head_oid
        && expected.0 != pull.row.head_sha
    {
        return Err(QueryError::unprocessable(
            "Head branch was modified. Review and try the merge again.",
        )
        .into());
    }
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &pull.repository.0);
    let jump = input.jump.unwrap_or(false);
    actions::enqueue(app, caller, repository, &pull.row, jump).await?;
    Ok(EnqueuePullRequestPayload {
        client_mutation_id: input.client_mutation_id,
        merge_queue_entry: entry(ctx, &pull)?,
    })
}

async fn dequeue(
    ctx: &Context<'_>,
    input: DequeuePullRequestInput,
) -> Result<DequeuePullRequestPayload> {
    let pull = lookup::pull_request(ctx, &input.id)?;
    let removed = entry(ctx, &pull)?;
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &pull.repository.0);
    actions::dequeue(app, caller, repository, &pull.row).await?;
    Ok(DequeuePullRequestPayload {
        client_mutation_id: input.client_mutation_id,
        merge_queue_entry: removed,
    })
}

fn entry(ctx: &Context<'_>, pull: &PullRequest) -> Result<Option<MergeQueueEntry>> {
    match MergeQueue::of(ctx, &pull.repository, &pull.row.base_ref)? {
        Some(queue) => queue.entry_of(ctx, pull.row.id()),
        None => Ok(None),
    }
}
