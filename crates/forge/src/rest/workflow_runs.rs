use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::check_runs::readable;
use super::downloads::{self, Download};
use super::{Paging, check_suites, head_commit, pull_references, repositories, users, workflows};
use crate::actions::workflows::cancel::{self, Urgency};
use crate::actions::workflows::{Which, approve, delete, rerun, run_of};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::view::View;
use crate::store::check_state::Conclusion;
use crate::store::repositories::{self as repository_rows, Permission, Repository};
use crate::store::users::User;
use crate::store::workflow_runs::{self as rows, RunFilter, WorkflowRun};
use crate::store::workflows as workflow_rows;

const RUN: &str = "/repos/{owner}/{repo}/actions/runs/{id}";

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/actions/runs", get(of_repository))
        .route(
            "/repos/{owner}/{repo}/actions/workflows/{id}/runs",
            get(of_workflow),
        )
        .route(RUN, get(one).delete(remove))
        .route(&format!("{RUN}/approve"), post(approve_run))
        .route(&format!("{RUN}/attempts/{{attempt}}"), get(attempt))
        .route(
            &format!("{RUN}/attempts/{{attempt}}/logs"),
            get(attempt_logs),
        )
        .route(&format!("{RUN}/cancel"), post(cancel_run))
        .route(&format!("{RUN}/force-cancel"), post(force_cancel))
        .route(&format!("{RUN}/logs"), get(logs).delete(remove_logs))
        .route(&format!("{RUN}/rerun"), post(rerun_all))
        .route(&format!("{RUN}/rerun-failed-jobs"), post(rerun_failed))
        .route(&format!("{RUN}/timing"), get(timing))
}

type RunPath = Path<(String, String, i64)>;

#[derive(Deserialize)]
struct ListQuery {
    actor: Option<String>,
    branch: Option<String>,
    event: Option<String>,
    status: Option<String>,
    created: Option<String>,
    check_suite_id: Option<i64>,
    head_sha: Option<String>,
    #[serde(default)]
    exclude_pull_requests: bool,
}

async fn of_repository(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo)): Path<(String, String)>,
    Query(query): Query<ListQuery>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    list(&app, &repository, &query, None, &paging).await
}

async fn of_workflow(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, String)>,
    Query(query): Query<ListQuery>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let workflow = app.read(|connection| workflows::named(connection, &repository, &id))?;
    list(&app, &repository, &query, Some(workflow.id), &paging).await
}

async fn list(
    app: &App,
    repository: &Repository,
    query: &ListQuery,
    workflow_id: Option<i64>,
    paging: &Paging,
) -> Result<Response, ApiError> {
    let (created_from, created_to) = created_between(query.created.as_deref());
    let filter = RunFilter {
        workflow_id,
        suite_id: query.check_suite_id,
        branch: query.branch.as_deref(),
        event: query.event.as_deref(),
        head_sha: query.head_sha.as_deref(),
        actor: query.actor.as_deref(),
        state: query.status.as_deref(),
        created_from: created_from.as_deref(),
        created_to: created_to.as_deref(),
        unfinished: false,
    };
    let (limit, offset) = (paging.limit(), paging.offset());
    let (found, total) = app.read(|connection| {
        let found = rows::of_repository(connection, repository.id, &filter, limit, offset)?;
        Ok((found, rows::count(connection, repository.id, &filter)?))
    })?;
    let mut bodies = Vec::with_capacity(found.len());
    for run in &found {
        let mut body = full(app, repository, run).await?;
        if query.exclude_pull_requests {
            body["pull_requests"] = json!([]);
        }
        bodies.push(body);
    }
    let body = json!({ "total_count": total, "workflow_runs": bodies });
    Ok(paging.wrap(body, total))
}

/// From and to, of `2026-01-31`, `>=2026-01-31`, `2026-01-01..2026-01-31` and
/// so on. A day stands for all of it. What makes no sense is not asked for.
fn created_between(text: Option<&str>) -> (Option<String>, Option<String>) {
    let start = |text: &str| is_time(text).then(|| text.to_owned());
    // `~` is behind all digits, colons and letters of a time.
    let end = |text: &str| is_time(text).then(|| format!("{text}~"));
    let Some(text) = text else {
        return (None, None);
    };
    if let Some((from, to)) = text.split_once("..") {
        return (start(from), end(to));
    }
    for (sign, with_day) in [(">=", false), ("<=", true), (">", true), ("<", false)] {
        let Some(rest) = text.strip_prefix(sign) else {
            continue;
        };
        let bound = if with_day { end(rest) } else { start(rest) };
        return if sign.starts_with('>') {
            (bound, None)
        } else {
            (None, bound)
        };
    }
    (start(text), end(text))
}

fn is_time(text: &str) -> bool {
    text.len() >= 4 && text.starts_with(|c: char| c.is_ascii_digit())
}

#[derive(Deserialize)]
struct OneQuery {
    #[serde(default)]
    exclude_pull_requests: bool,
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
    Query(query): Query<OneQuery>,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = app.read(|connection| run_of(connection, &repository, id))?;
    show(&app, &repository, &run, &query).await
}

async fn attempt(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id, number)): Path<(String, String, i64, i64)>,
    Query(query): Query<OneQuery>,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = attempt_of(&app, &repository, id, number)?;
    show(&app, &repository, &run, &query).await
}

async fn show(
    app: &App,
    repository: &Repository,
    run: &WorkflowRun,
    query: &OneQuery,
) -> Result<Json<Value>, ApiError> {
    let mut body = full(app, repository, run).await?;
    if query.exclude_pull_requests {
        body["pull_requests"] = json!([]);
    }
    Ok(Json(body))
}

pub(super) fn attempt_of(
    app: &App,
    repository: &Repository,
    id: i64,
    number: i64,
) -> Result<WorkflowRun, ApiError> {
    app.read(|connection| {
        run_of(connection, repository, id)?;
        rows::by_attempt(connection, id, number)?.ok_or(ApiError::NotFound)
    })
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
) -> Result<StatusCode, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    delete::run(&app, &caller, repository, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn remove_logs(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
) -> Result<StatusCode, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    delete::logs(&app, &caller, repository, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn logs(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = app.read(|connection| run_of(connection, &repository, id))?;
    redirect_to_logs(&app, &caller, &run)
}

async fn attempt_logs(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id, number)): Path<(String, String, i64, i64)>,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = attempt_of(&app, &repository, id, number)?;
    redirect_to_logs(&app, &caller, &run)
}

fn redirect_to_logs(app: &App, caller: &Caller, run: &WorkflowRun) -> Result<Response, ApiError> {
    // Everybody may read a public repository, but only users its logs.
    caller.user()?;
    if run.logs_deleted {
        return Err(ApiError::Refused {
            status: StatusCode::GONE,
            message: "Server Error".to_owned(),
        });
    }
    let download = Download::RunLogs {
        run_id: run.id,
        attempt: run.attempt.number,
    };
    Ok(downloads::redirect(app, download))
}

async fn rerun_all(
    State(app): State<App>,
    caller: Caller,
    Path(path): RunPath,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    start_again(&app, caller, path, Which::All).await
}

async fn rerun_failed(
    State(app): State<App>,
    caller: Caller,
    Path(path): RunPath,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    start_again(&app, caller, path, Which::Failed).await
}

async fn start_again(
    app: &App,
    caller: Caller,
    (owner, repo, id): (String, String, i64),
    which: Which,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = readable(app, &caller, &owner, &repo)?;
    let at = app.now();
    app.write(move |transaction| {
        caller.check(transaction, &repository, Permission::Write)?;
        let run = run_of(transaction, &repository, id)?;
        rerun::start(transaction, &run, which, caller.user()?, &at)
    })
    .await?;
    Ok((StatusCode::CREATED, Json(json!({}))))
}

async fn cancel_run(
    State(app): State<App>,
    caller: Caller,
    Path(path): RunPath,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    end(&app, caller, path, Urgency::Orderly).await
}

async fn force_cancel(
    State(app): State<App>,
    caller: Caller,
    Path(path): RunPath,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    end(&app, caller, path, Urgency::AtOnce).await
}

async fn end(
    app: &App,
    caller: Caller,
    (owner, repo, id): (String, String, i64),
    urgency: Urgency,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = readable(app, &caller, &owner, &repo)?;
    let at = app.now();
    app.write(move |transaction| {
        caller.check(transaction, &repository, Permission::Write)?;
        let run = run_of(transaction, &repository, id)?;
        cancel::cancel(transaction, &run, urgency, &at)
    })
    .await?;
    Ok((StatusCode::ACCEPTED, Json(json!({}))))
}

async fn approve_run(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    approve::approve(&app, &caller, repository, id).await?;
    Ok((StatusCode::CREATED, Json(json!({}))))
}

async fn timing(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): RunPath,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = app.read(|connection| run_of(connection, &repository, id))?;
    let time = |text: &str| text.parse::<jiff::Timestamp>().ok();
    let taken = time(&run.attempt.updated_at)
        .zip(time(&run.attempt.started_at))
        .map(|(end, start)| end.duration_since(start).as_millis());
    let taken = taken.and_then(|millis| i64::try_from(millis).ok());
    Ok(Json(json!({
        "billable": {},
        "run_duration_ms": taken.unwrap_or_default(),
    })))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_stand_for_all_of_them() {
        let within = |text: &str, time: &str| {
            let (from, to) = created_between(Some(text));
            from.is_none_or(|from| time >= from.as_str()) && to.is_none_or(|to| time <= to.as_str())
        };
        let noon = "2026-01-31T12:00:00Z";
        for text in [
            "2026-01-31",
            ">=2026-01-31",
            "<=2026-01-31",
            ">2026-01-30",
            "<2026-02-01",
            "2026-01-01..2026-01-31",
            "2026-01-31T11:00:00Z..2026-01-31T13:00:00Z",
            "nonsense",
        ] {
            assert!(within(text, noon), "{text}");
        }
        for text in [
            "2026-01-30",
            ">2026-01-31",
            "<2026-01-31",
            "2026-02-01..2026-02-02",
        ] {
            assert!(!within(text, noon), "{text}");
        }
    }
}
