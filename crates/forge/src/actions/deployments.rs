//! Deployments: what was brought where, and how that went.

use crate::actions::prelude::*;
use crate::store::check_state::StatusState;
use crate::store::deployments::{self, Deployment, DeploymentState, DeploymentStatus, NewStatus};
use crate::store::rollup;

/// A deployment as it is asked for.
#[derive(Debug, Clone)]
pub(crate) struct NewDeployment {
    /// A branch, a tag or a commit.
    pub(crate) ref_name: String,
    pub(crate) task: String,
    pub(crate) payload: Value,
    pub(crate) environment: String,
    pub(crate) description: Option<String>,
    pub(crate) transient_environment: bool,
    pub(crate) production_environment: bool,
    /// The checks that must have passed; all that there are when absent.
    pub(crate) required_contexts: Option<Vec<String>>,
}

pub(crate) async fn create(cx: RepoContext<'_>, new: NewDeployment) -> Result<Deployment> {
    let creator_id = cx.allowed(Permission::Write)?.id;
    let commit = cx.git().resolve_commit(&new.ref_name).await?;
    let commit = commit
        .ok_or_else(|| ApiError::Unprocessable(format!("No ref found for: {}", new.ref_name)))?;
    check_contexts(cx, commit.as_str(), new.required_contexts.as_deref())?;
    cx.change(move |change| {
        let id = deployments::create(
            change.tx,
            &deployments::NewDeployment {
                repository_id: change.repository_id,
                sha: commit.as_str(),
                ref_name: &new.ref_name,
                task: &new.task,
                payload: &new.payload,
                environment: &new.environment,
                description: new.description.as_deref(),
                transient_environment: new.transient_environment,
                production_environment: new.production_environment,
                creator_id,
                at: change.at,
            },
        )?;
        change.event("deployment", "created", id, None)?;
        deployments::by_id(change.tx, change.repository_id, id)?
            .ok_or_else(|| ApiError::internal("a deployment vanished while it was made"))
    })
    .await
}

/// What is known about how a deployment goes.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    pub(crate) state: DeploymentState,
    pub(crate) description: String,
    pub(crate) environment: Option<String>,
    pub(crate) environment_url: String,
    pub(crate) log_url: String,
    /// Whether a success makes earlier deployments there inactive.
    pub(crate) auto_inactive: bool,
}

pub(crate) async fn report(
    cx: RepoContext<'_>,
    deployment: &Deployment,
    report: Report,
) -> Result<DeploymentStatus> {
    let creator_id = cx.allowed(Permission::Write)?.id;
    let deployment = deployment.clone();
    cx.change(move |change| {
        let environment = report
            .environment
            .as_ref()
            .unwrap_or(&deployment.environment);
        let mut status = NewStatus {
            deployment_id: deployment.id,
            state: report.state,
            description: &report.description,
            environment,
            environment_url: &report.environment_url,
            log_url: &report.log_url,
            creator_id,
            at: change.at,
        };
        if report.state == DeploymentState::Success
            && report.auto_inactive
            && !deployment.transient_environment
        {
            let repository_id = change.repository_id;
            let earlier = deployments::active_in(change.tx, repository_id, environment)?;
            for id in earlier.into_iter().filter(|id| *id != deployment.id) {
                status.deployment_id = id;
                status.state = DeploymentState::Inactive;
                deployments::add_status(change.tx, &status)?;
            }
            status.deployment_id = deployment.id;
            status.state = report.state;
        }
        let id = deployments::add_status(change.tx, &status)?;
        change.event("deployment_status", "created", id, None)?;
        let all = deployments::statuses(change.tx, deployment.id)?;
        let made = all.into_iter().find(|status| status.id == id);
        made.ok_or_else(|| ApiError::internal("a deployment status vanished"))
    })
    .await
}

fn check_contexts(cx: RepoContext<'_>, sha: &str, required: Option<&[String]>) -> Result<()> {
    let id = cx.repository.id;
    let rollup = cx.app.rows(|conn| rollup::for_commit(conn, id, sha))?;
    let passed = match required {
        None => rollup
            .contexts
            .iter()
            .all(|context| context.state() == StatusState::Success),
        Some(names) => names.iter().all(|name| {
            let mut reported = rollup
                .contexts
                .iter()
                .filter(|context| context.name() == name);
            reported.any(|context| context.state() == StatusState::Success)
        }),
    };
    if passed {
        return Ok(());
    }
    Err(ApiError::refused(
        StatusCode::CONFLICT,
        format!("Conflict: Commit status checks failed for {sha}."),
    ))
}
