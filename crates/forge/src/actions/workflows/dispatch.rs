use axum::http::StatusCode;

use super::refused;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::runner::plan::{self, Trigger};
use crate::store::repositories::{Permission, Repository};
use crate::store::workflows::{Workflow, WorkflowState};

/// Starts a workflow of the built-in runner because somebody asks for it.
pub(crate) async fn start(
    app: &App,
    caller: &Caller,
    repository: Repository,
    workflow: Workflow,
    reference: &str,
) -> Result<(), ApiError> {
    let actor_id = caller.user()?.id;
    app.read(|connection| caller.check(connection, &repository, Permission::Write))?;
    if workflow.state != WorkflowState::Active {
        return Err(refused(
            StatusCode::UNPROCESSABLE_ENTITY,
            "Cannot trigger a 'workflow_dispatch' on a disabled workflow",
        ));
    }
    let Some(sha) = app.git(&repository).resolve_commit(reference).await? else {
        return Err(refused(
            StatusCode::UNPROCESSABLE_ENTITY,
            &format!("No ref found for: {reference}"),
        ));
    };
    let branch = reference.strip_prefix("refs/heads/").unwrap_or(reference);
    let trigger = Trigger {
        event: "workflow_dispatch",
        sha,
        branch: branch.to_owned(),
        before: None,
        head_repository_id: repository.id,
        actor_id: Some(actor_id),
        trusted: true,
        repository,
    };
    if plan::start_now(app, trigger, &workflow.path).await? {
        return Ok(());
    }
    Err(refused(
        StatusCode::UNPROCESSABLE_ENTITY,
        "Workflow does not have 'workflow_dispatch' trigger",
    ))
}
