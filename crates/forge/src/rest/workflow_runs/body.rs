use serde_json::{Value, json};

use crate::app::App;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::view::View;
use crate::rest::{check_suites, head_commit, pull_references, repositories, users, workflows};
use crate::store::check_state::Conclusion;
use crate::store::repositories::{self as repository_rows, Repository};
use crate::store::users::User;
use crate::store::workflow_runs::WorkflowRun;
use crate::store::workflows as workflow_rows;

/// `workflow-run` in GitHub's description.
pub(crate) async fn full(
    app: &App,
    repository: &Repository,
    run: &WorkflowRun,
) -> Result<Value, ApiError> {
    let commit = head_commit::simple(app, repository, &run.head_sha).await?;
    app.show(|view| {
        let workflow =
            workflow_rows::by_id(view.connection, run.workflow_id)?.ok_or(ApiError::NotFound)?;
        let head = match run.head_repository_id {
            Some(id) => {
                let head = repository_rows::by_id(view.connection, id)?;
                Some(repositories::minimal(view, &head, None)?)
            }
            None => None,
        };
        let pulls = pull_references::of_commit(view, repository, &run.head_sha)?;
        let api = api_url(view, repository, run.id);
        let progress = run.attempt.progress;
        let user = |user: &Option<User>| user.as_ref().map(|user| users::simple(view.urls, user));
        let previous =
            (run.attempt.number > 1).then(|| format!("{api}/attempts/{}", run.attempt.number - 1));
        Ok(json!({
            "id": run.id,
            "name": workflow.name,
            "node_id": node_id(Kind::WorkflowRun, run.id),
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
            "path": workflow.path,
            "display_title": run.display_title,
            "run_number": run.number,
            "event": run.event,
            "status": progress.status().as_str(),
            "conclusion": progress.conclusion().map(Conclusion::as_str),
            "workflow_id": run.workflow_id,
            "check_suite_id": run.suite_id,
            "check_suite_node_id": node_id(Kind::CheckSuite, run.suite_id),
            "url": api,
            "html_url": page_url(view, repository, run.id),
            "pull_requests": pulls,
            "created_at": run.created_at,
            "updated_at": run.attempt.updated_at,
            "actor": user(&run.actor),
            "run_attempt": run.attempt.number,
            "referenced_workflows": [],
            "run_started_at": run.attempt.started_at,
            "triggering_actor": user(&run.attempt.triggering_actor),
            "jobs_url": format!("{api}/jobs"),
            "logs_url": format!("{api}/logs"),
            "check_suite_url": check_suites::api_url(view, repository, run.suite_id),
            "artifacts_url": format!("{api}/artifacts"),
            "cancel_url": format!("{api}/cancel"),
            "rerun_url": format!("{api}/rerun"),
            "previous_attempt_url": previous,
            "workflow_url": workflows::api_url(view, repository, run.workflow_id),
            "head_commit": commit,
            "repository": repositories::minimal(view, repository, None)?,
            "head_repository": head,
        }))
    })
}

pub(crate) fn api_url(view: View<'_>, repository: &Repository, id: i64) -> String {
    view.api(repository, &format!("/actions/runs/{id}"))
}

/// Where people read about it.
pub(crate) fn page_url(view: View<'_>, repository: &Repository, id: i64) -> String {
    view.page(repository, &format!("/actions/runs/{id}"))
}
