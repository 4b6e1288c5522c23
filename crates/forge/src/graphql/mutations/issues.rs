use async_graphql::{Context, ID, Object, Result};

use super::{Payload, actor, check, inputs, label_names, milestone_number, payloads};
use crate::actions::issues::{self as actions, Draft, Edit};
use crate::graphql::access::access;
use crate::graphql::enums::{IssueClosedStateReason, IssueState, LockReason};
use crate::graphql::lookup;
use crate::graphql::objects::{Actor, Issue, Lockable, Subject};
use crate::store::issues as rows;
use crate::store::repositories::Permission;

inputs! {
    CreateIssueInput {
        assignee_ids: Option<Vec<ID>>,
        body: Option<String>,
        issue_template: Option<String>,
        label_ids: Option<Vec<ID>>,
        milestone_id: Option<ID>,
        project_ids: Option<Vec<ID>>,
        repository_id: ID,
        title: String,
    }
    UpdateIssueInput {
        assignee_ids: Option<Vec<ID>>,
        body: Option<String>,
        id: ID,
        label_ids: Option<Vec<ID>>,
        milestone_id: Option<ID>,
        project_ids: Option<Vec<ID>>,
        state: Option<IssueState>,
        title: Option<String>,
    }
    CloseIssueInput {
        issue_id: ID,
        state_reason: Option<IssueClosedStateReason>,
    }
    ReopenIssueInput {
        issue_id: ID,
    }
    LockLockableInput {
        lock_reason: Option<LockReason>,
        lockable_id: ID,
    }
    UnlockLockableInput {
        lockable_id: ID,
    }
}

payloads! {
    CreateIssuePayload { issue: Issue }
    UpdateIssuePayload { actor: Actor, issue: Issue }
    CloseIssuePayload { issue: Issue }
    ReopenIssuePayload { issue: Issue }
    LockLockablePayload { actor: Actor, locked_record: Lockable }
    UnlockLockablePayload { actor: Actor, unlocked_record: Lockable }
}

#[derive(Default)]
pub(super) struct Mutations;

#[Object]
impl Mutations {
    async fn create_issue(
        &self,
        ctx: &Context<'_>,
        input: CreateIssueInput,
    ) -> Payload<CreateIssuePayload> {
        Some(create(ctx, input).await)
    }

    async fn update_issue(
        &self,
        ctx: &Context<'_>,
        input: UpdateIssueInput,
    ) -> Payload<UpdateIssuePayload> {
        Some(update(ctx, input).await)
    }

    async fn close_issue(
        &self,
        ctx: &Context<'_>,
        input: CloseIssueInput,
    ) -> Payload<CloseIssuePayload> {
        let reason = input.state_reason.map(|reason| match reason {
            IssueClosedStateReason::Completed => "completed",
            IssueClosedStateReason::NotPlanned => "not_planned",
        });
        let edit = Edit {
            state: Some(rows::IssueState::Closed),
            state_reason: reason.map(str::to_owned),
            ..Edit::default()
        };
        let closed = set(ctx, &input.issue_id, edit).await;
        Some(closed.map(|issue| CloseIssuePayload {
            client_mutation_id: input.client_mutation_id,
            issue: Some(issue),
        }))
    }

    async fn reopen_issue(
        &self,
        ctx: &Context<'_>,
        input: ReopenIssueInput,
    ) -> Payload<ReopenIssuePayload> {
        let edit = Edit {
            state: Some(rows::IssueState::Open),
            ..Edit::default()
        };
        let reopened = set(ctx, &input.issue_id, edit).await;
        Some(reopened.map(|issue| ReopenIssuePayload {
            client_mutation_id: input.client_mutation_id,
            issue: Some(issue),
        }))
    }

    async fn lock_lockable(
        &self,
        ctx: &Context<'_>,
        input: LockLockableInput,
    ) -> Payload<LockLockablePayload> {
        let reason = input.lock_reason.map(|reason| reason.as_str().to_owned());
        let locked = set_lock(ctx, &input.lockable_id, Lock::Locked(reason)).await;
        Some(locked.map(|record| LockLockablePayload {
            client_mutation_id: input.client_mutation_id,
            actor: actor(ctx),
            locked_record: Some(record.into()),
        }))
    }

    async fn unlock_lockable(
        &self,
        ctx: &Context<'_>,
        input: UnlockLockableInput,
    ) -> Payload<UnlockLockablePayload> {
        let unlocked = set_lock(ctx, &input.lockable_id, Lock::Open).await;
        Some(unlocked.map(|record| UnlockLockablePayload {
            client_mutation_id: input.client_mutation_id,
            actor: actor(ctx),
            unlocked_record: Some(record.into()),
        }))
    }
}

async fn create(ctx: &Context<'_>, input: CreateIssueInput) -> Result<CreateIssuePayload> {
    let repository = lookup::repository(ctx, &input.repository_id)?;
    check(ctx, &repository, Permission::Read)?;
    let labels = input.label_ids.unwrap_or_default();
    let draft = Draft {
        title: input.title,
        body: input.body,
        labels: label_names(ctx, &repository, &labels)?,
        assignees: lookup::logins(ctx, &input.assignee_ids.unwrap_or_default())?,
        milestone: milestone_number(ctx, input.milestone_id.as_ref())?,
    };
    let access = access(ctx);
    let row = actions::create(&access.app, &access.caller, &repository.0, draft).await?;
    Ok(CreateIssuePayload {
        client_mutation_id: input.client_mutation_id,
        issue: Some(Issue::new(row, repository)),
    })
}

async fn update(ctx: &Context<'_>, input: UpdateIssueInput) -> Result<UpdateIssuePayload> {
    let issue = lookup::issue(ctx, &input.id)?;
    let repository = &issue.repository;
    let labels = input
        .label_ids
        .map(|ids| label_names(ctx, repository, &ids));
    let assignees = input.assignee_ids.map(|ids| lookup::logins(ctx, &ids));
    let milestone = milestone_number(ctx, input.milestone_id.as_ref())?;
    let edit = Edit {
        title: input.title,
        body: input.body.map(Some),
        state: input.state.map(|state| match state {
            IssueState::Open => rows::IssueState::Open,
            IssueState::Closed => rows::IssueState::Closed,
        }),
        labels: labels.transpose()?,
        assignees: assignees.transpose()?,
        milestone: milestone.map(Some),
        ..Edit::default()
    };
    Ok(UpdateIssuePayload {
        client_mutation_id: input.client_mutation_id,
        actor: actor(ctx),
        issue: Some(set(ctx, &input.id, edit).await?),
    })
}

async fn set(ctx: &Context<'_>, id: &ID, edit: Edit) -> Result<Issue> {
    let issue = lookup::issue(ctx, id)?;
    let repository = issue.repository;
    check(ctx, &repository, Permission::Read)?;
    let access = access(ctx);
    let row = actions::update(&access.app, &access.caller, &repository.0, &issue.row, edit).await?;
    Ok(Issue::new(row, repository))
}

enum Lock {
    Open,
    /// For this reason.
    Locked(Option<String>),
}

async fn set_lock(ctx: &Context<'_>, id: &ID, lock: Lock) -> Result<Subject> {
    let subject = lookup::subject(ctx, id)?;
    check(ctx, subject.repository(), Permission::Read)?;
    let access = access(ctx);
    let (app, caller) = (&access.app, &access.caller);
    let (repository, row) = (&subject.repository().0, subject.row());
    match lock {
        Lock::Locked(reason) => actions::lock(app, caller, repository, row, reason).await?,
        Lock::Open => actions::unlock(app, caller, repository, row).await?,
    }
    lookup::subject(ctx, id)
}
