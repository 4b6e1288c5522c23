use async_graphql::{Context, ID, Object, Result};

use super::{Payload, actor, check, inputs, label_names, milestone_number, payloads};
use crate::actions::pulls::{self as actions, HeadName, NewPullRequest, PullChange, UpdateMethod};
use crate::actions::{assignees, issues, labels};
use crate::graphql::access::access;
use crate::graphql::connection::Edge;
use crate::graphql::enums::{PullRequestBranchUpdateMethod, PullRequestUpdateState};
use crate::graphql::lookup;
use crate::graphql::objects::{Actor, PullRequest, User, Users};
use crate::graphql::scalars::GitObjectId;
use crate::store::repositories::Permission;
use crate::store::reviews;

inputs! {
    CreatePullRequestInput {
        base_ref_name: String,
        body: Option<String>,
        #[graphql(default_with = "Some(false)")]
        draft: Option<bool>,
        head_ref_name: String,
        head_repository_id: Option<ID>,
        #[graphql(default_with = "Some(true)")]
        maintainer_can_modify: Option<bool>,
        repository_id: ID,
        title: String,
    }
    UpdatePullRequestInput {
        assignee_ids: Option<Vec<ID>>,
        base_ref_name: Option<String>,
        body: Option<String>,
        label_ids: Option<Vec<ID>>,
        maintainer_can_modify: Option<bool>,
        milestone_id: Option<ID>,
        project_ids: Option<Vec<ID>>,
        pull_request_id: ID,
        state: Option<PullRequestUpdateState>,
        title: Option<String>,
    }
    ClosePullRequestInput {
        pull_request_id: ID,
    }
    ReopenPullRequestInput {
        pull_request_id: ID,
    }
    MarkPullRequestReadyForReviewInput {
        pull_request_id: ID,
    }
    ConvertPullRequestToDraftInput {
        pull_request_id: ID,
    }
    UpdatePullRequestBranchInput {
        expected_head_oid: Option<GitObjectId>,
        pull_request_id: ID,
        update_method: Option<PullRequestBranchUpdateMethod>,
    }
    RequestReviewsInput {
        pull_request_id: ID,
        team_ids: Option<Vec<ID>>,
        #[graphql(default_with = "Some(false)")]
        union: Option<bool>,
        user_ids: Option<Vec<ID>>,
    }
}

payloads! {
    CreatePullRequestPayload { pull_request: PullRequest }
    UpdatePullRequestPayload { actor: Actor, pull_request: PullRequest }
    ClosePullRequestPayload { pull_request: PullRequest }
    ReopenPullRequestPayload { pull_request: PullRequest }
    MarkPullRequestReadyForReviewPayload { pull_request: PullRequest }
    ConvertPullRequestToDraftPayload { pull_request: PullRequest }
    UpdatePullRequestBranchPayload { pull_request: PullRequest }
    RequestReviewsPayload {
        actor: Actor,
        pull_request: PullRequest,
        requested_reviewers_edge: Edge<Users>,
    }
}

#[derive(Default)]
pub(super) struct PullRequestMutations;

#[Object]
impl PullRequestMutations {
    async fn create_pull_request(
        &self,
        ctx: &Context<'_>,
        input: CreatePullRequestInput,
    ) -> Payload<CreatePullRequestPayload> {
        Some(Box::pin(create(ctx, input)).await)
    }

    async fn update_pull_request(
        &self,
        ctx: &Context<'_>,
        input: UpdatePullRequestInput,
    ) -> Payload<UpdatePullRequestPayload> {
        Some(update(ctx, input).await)
    }

    async fn close_pull_request(
        &self,
        ctx: &Context<'_>,
        input: ClosePullRequestInput,
    ) -> Payload<ClosePullRequestPayload> {
        let closed = set_open(ctx, &input.pull_request_id, false).await;
        Some(closed.map(|pull| ClosePullRequestPayload {
            client_mutation_id: input.client_mutation_id,
            pull_request: Some(pull),
        }))
    }

    async fn reopen_pull_request(
        &self,
        ctx: &Context<'_>,
        input: ReopenPullRequestInput,
    ) -> Payload<ReopenPullRequestPayload> {
        let reopened = set_open(ctx, &input.pull_request_id, true).await;
        Some(reopened.map(|pull| ReopenPullRequestPayload {
            client_mutation_id: input.client_mutation_id,
            pull_request: Some(pull),
        }))
    }

    async fn mark_pull_request_ready_for_review(
        &self,
        ctx: &Context<'_>,
        input: MarkPullRequestReadyForReviewInput,
    ) -> Payload<MarkPullRequestReadyForReviewPayload> {
        let ready = set_draft(ctx, &input.pull_request_id, false).await;
        Some(ready.map(|pull| MarkPullRequestReadyForReviewPayload {
            client_mutation_id: input.client_mutation_id,
            pull_request: Some(pull),
        }))
    }

    async fn convert_pull_request_to_draft(
        &self,
        ctx: &Context<'_>,
        input: ConvertPullRequestToDraftInput,
    ) -> Payload<ConvertPullRequestToDraftPayload> {
        let draft = set_draft(ctx, &input.pull_request_id, true).await;
        Some(draft.map(|pull| ConvertPullRequestToDraftPayload {
            client_mutation_id: input.client_mutation_id,
            pull_request: Some(pull),
        }))
    }

    async fn update_pull_request_branch(
        &self,
        ctx: &Context<'_>,
        input: UpdatePullRequestBranchInput,
    ) -> Payload<UpdatePullRequestBranchPayload> {
        Some(update_branch(ctx, input).await)
    }

    async fn request_reviews(
        &self,
        ctx: &Context<'_>,
        input: RequestReviewsInput,
    ) -> Payload<RequestReviewsPayload> {
        Some(request_reviews(ctx, input).await)
    }
}

async fn create(
    ctx: &Context<'_>,
    input: CreatePullRequestInput,
) -> Result<CreatePullRequestPayload> {
    let repository = lookup::repository(ctx, &input.repository_id)?;
    let mut head = HeadName::parse(&input.head_ref_name, None);
    if let Some(id) = &input.head_repository_id {
        let from = lookup::repository(ctx, id)?;
        head.owner = Some(from.0.owner.login.clone());
        head.repository = Some(from.0.name.clone());
    }
    let new = NewPullRequest {
        title: Some(input.title),
        body: input.body,
        issue: None,
        head,
        base: input.base_ref_name,
        draft: input.draft.unwrap_or(false),
        maintainer_can_modify: input.maintainer_can_modify.unwrap_or(true),
    };
    let access = access(ctx);
    let row = Box::pin(actions::create(
        &access.app,
        &access.caller,
        &repository.0,
        new,
    ))
    .await?;
    Ok(CreatePullRequestPayload {
        client_mutation_id: input.client_mutation_id,
        pull_request: Some(PullRequest::new(row, repository)),
    })
}

async fn update(
    ctx: &Context<'_>,
    input: UpdatePullRequestInput,
) -> Result<UpdatePullRequestPayload> {
    let pull = lookup::pull_request(ctx, &input.pull_request_id)?;
    let change = PullChange {
        title: input.title,
        body: input.body.map(Some),
        open: input
            .state
            .map(|state| state == PullRequestUpdateState::Open),
        base: input.base_ref_name,
        maintainer_can_modify: input.maintainer_can_modify,
    };
    let repository = &pull.repository;
    let label_ids = input
        .label_ids
        .map(|ids| label_names(ctx, repository, &ids));
    let assignee_ids = input.assignee_ids.map(|ids| lookup::logins(ctx, &ids));
    let milestone = milestone_number(ctx, input.milestone_id.as_ref())?;
    let (named, assigned) = (label_ids.transpose()?, assignee_ids.transpose()?);
    let access = access(ctx);
    actions::update(
        &access.app,
        &access.caller,
        &repository.0,
        &pull.row,
        change,
    )
    .await?;
    if named.is_some() || assigned.is_some() || milestone.is_some() {
        check(ctx, repository, Permission::Triage)?;
        let (issue, user) = (pull.row.issue.clone(), access.caller.user()?);
        let work = move |change: crate::actions::change::Change<'_>| {
            if let Some(names) = named {
                labels::replace(change, &issue, &names)?;
            }
            if let Some(logins) = assigned {
                assignees::replace(change, &issue, &logins)?;
            }
            if milestone.is_some() {
                issues::set_milestone(change, issue.id, milestone)?;
            }
            Ok(())
        };
        access.app.change(&repository.0, user, work).await?;
    }
    Ok(UpdatePullRequestPayload {
        client_mutation_id: input.client_mutation_id,
        actor: actor(ctx),
        pull_request: Some(lookup::pull_request(ctx, &input.pull_request_id)?),
    })
}

async fn set_open(ctx: &Context<'_>, id: &ID, open: bool) -> Result<PullRequest> {
    let pull = lookup::pull_request(ctx, id)?;
    let change = PullChange {
        open: Some(open),
        ..PullChange::default()
    };
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &pull.repository.0);
    let row = actions::update(app, caller, repository, &pull.row, change).await?;
    Ok(PullRequest::new(row, pull.repository))
}

async fn set_draft(ctx: &Context<'_>, id: &ID, draft: bool) -> Result<PullRequest> {
    let pull = lookup::pull_request(ctx, id)?;
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &pull.repository.0);
    let row = actions::set_draft(app, caller, repository, &pull.row, draft).await?;
    Ok(PullRequest::new(row, pull.repository))
}

async fn update_branch(
    ctx: &Context<'_>,
    input: UpdatePullRequestBranchInput,
) -> Result<UpdatePullRequestBranchPayload> {
    let pull = lookup::pull_request(ctx, &input.pull_request_id)?;
    let method = match input.update_method {
        Some(PullRequestBranchUpdateMethod::Rebase) => UpdateMethod::Rebase,
        Some(PullRequestBranchUpdateMethod::Merge) | None => UpdateMethod::Merge,
    };
    let expected = input.expected_head_oid.as_ref().map(|oid| oid.0.as_str());
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &pull.repository.0);
    actions::update_branch(app, caller, repository, &pull.row, expected, method).await?;
    Ok(UpdatePullRequestBranchPayload {
        client_mutation_id: input.client_mutation_id,
        pull_request: Some(lookup::pull_request(ctx, &input.pull_request_id)?),
    })
}

/// Without `union`, those who were asked before and are not named now are no
/// longer asked.
async fn request_reviews(
    ctx: &Context<'_>,
    input: RequestReviewsInput,
) -> Result<RequestReviewsPayload> {
    let pull = lookup::pull_request(ctx, &input.pull_request_id)?;
    let logins = lookup::logins(ctx, &input.user_ids.unwrap_or_default())?;
    let access = access(ctx);
    let (app, caller, repository) = (&access.app, &access.caller, &pull.repository.0);
    let asked = app.read(|connection| Ok(reviews::requests(connection, pull.row.id())?))?;
    if !input.union.unwrap_or(false) {
        let others = asked.iter().map(|request| request.user.login.clone());
        let others: Vec<String> = others.filter(|login| !logins.contains(login)).collect();
        if !others.is_empty() {
            actions::withdraw_review_requests(app, caller, repository, &pull.row, others).await?;
        }
    }
    if !logins.is_empty() {
        actions::request_reviews(app, caller, repository, &pull.row, logins.clone()).await?;
    }
    let asked = app.read(|connection| Ok(reviews::requests(connection, pull.row.id())?))?;
    let newest = asked
        .into_iter()
        .rfind(|request| logins.contains(&request.user.login));
    Ok(RequestReviewsPayload {
        client_mutation_id: input.client_mutation_id,
        actor: actor(ctx),
        pull_request: Some(lookup::pull_request(ctx, &input.pull_request_id)?),
        requested_reviewers_edge: newest.map(|request| {
            let user = request.user;
            Edge::new(user.id, User(user))
        }),
    })
}
