//! Workflows, their runs and the jobs in them.

use rusqlite::Connection;

use super::downloads::{self, Download};
use super::prelude::*;
use crate::actions::workflows::{Which, approve, cancel, job_of, rerun, run_of};
use crate::runner::plan;
use crate::runner::trigger::Trigger;
use crate::store::workflow_jobs::{self as jobs, Job};
use crate::store::workflow_runs::{self as runs, RunFilter, WorkflowRun};
use crate::store::workflows::{self, Workflow};
use crate::views::workflows as bodies;

pub(super) fn routes() -> Router<App> {
    const ACTIONS: &str = "/repos/{owner}/{repo}/actions";
    let run = format!("{ACTIONS}/runs/{{id}}");
    let job = format!("{ACTIONS}/jobs/{{id}}");
    Router::new()
        .route(&format!("{ACTIONS}/workflows"), get(all_workflows))
        .route(&format!("{ACTIONS}/workflows/{{workflow}}"), get(workflow))
        .route(
            &format!("{ACTIONS}/workflows/{{workflow}}/dispatches"),
            post(dispatch),
        )
        .route(&format!("{ACTIONS}/workflows/{{workflow}}/runs"), get(list))
        .route(&format!("{ACTIONS}/runs"), get(list))
        .route(&run, get(one))
        .route(&format!("{run}/approve"), post(approve_run))
        .route(&format!("{run}/attempts/{{attempt}}"), get(one))
        .route(
            &format!("{run}/attempts/{{attempt}}/jobs"),
            get(jobs_of_run),
        )
        .route(&format!("{run}/attempts/{{attempt}}/logs"), get(logs))
        .route(&format!("{run}/cancel"), post(cancel_run))
        .route(&format!("{run}/jobs"), get(jobs_of_run))
        .route(&format!("{run}/logs"), get(logs))
        .route(&format!("{run}/rerun"), post(rerun_all))
        .route(&format!("{run}/rerun-failed-jobs"), post(rerun_failed))
        .route(&job, get(one_job))
        .route(&format!("{job}/logs"), get(job_log))
}

async fn all_workflows(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    let found = call.rows(|conn| workflows::for_repository(conn, repository.id))?;
    call.counted("workflows", found, |view, found| {
        Ok(bodies::workflow(view, &repository, found))
    })
}

async fn workflow(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    call.show(|view| {
        let found = named(view.conn, &repository, call.path("workflow"))?;
        Ok(bodies::workflow(view, &repository, &found))
    })
}

/// Starts a workflow of the built-in runner because a user asks for it.
async fn dispatch(call: Call) -> Answer {
    const UNPROCESSABLE: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;
    let repository = call.repository_to_change(Permission::Write)?;
    let mut input = call.payload()?;
    let reference = input.required_text("ref");
    input.finish()?;
    let workflow = call.read(|conn| named(conn, &repository, call.path("workflow")))?;
    let git = call.app.git(&repository);
    let Some(sha) = git.resolve_commit(&reference).await? else {
        let message = format!("No ref found for: {reference}");
        return Err(ApiError::refused(UNPROCESSABLE, message));
    };
    let branch = reference.strip_prefix("refs/heads/").unwrap_or(&reference);
    let trigger = Trigger {
        event: "workflow_dispatch",
        sha,
        branch: branch.to_owned(),
        before: None,
        head_repository_id: repository.id,
        title: None,
        actor_id: Some(call.caller.user()?.id),
        trusted: true,
        repository,
    };
    if plan::start_now(&call.app, trigger, &workflow.path).await? {
        return no_content();
    }
    let message = "Workflow does not have 'workflow_dispatch' trigger";
    Err(ApiError::refused(UNPROCESSABLE, message))
}

/// By its number or the name of its file.
fn named(conn: &Connection, repository: &Repository, id: &str) -> Result<Workflow> {
    let mut all = workflows::for_repository(conn, repository.id)?.into_iter();
    all.find(|workflow| workflow.id.to_string() == id || workflow.file_name() == id)
        .ok_or(ApiError::NotFound)
}

/// Of the repository, or of one workflow.
async fn list(call: Call) -> Answer {
    let repository = call.repository(Permission::Read)?;
    let (created_from, created_to) = created_between(call.get("created"));
    let mut filter = RunFilter {
        suite_id: call.get("check_suite_id").and_then(|id| id.parse().ok()),
        branch: call.get("branch"),
        event: call.get("event"),
        head_sha: call.get("head_sha"),
        actor: call.get("actor"),
        state: call.get("status"),
        created_from: created_from.as_deref(),
        created_to: created_to.as_deref(),
        ..RunFilter::default()
    };
    let (limit, offset) = (call.paging.limit(), call.paging.offset());
    let (found, total) = call.read(|conn| {
        if !call.path("workflow").is_empty() {
            let workflow = named(conn, &repository, call.path("workflow"))?;
            filter.workflow_id = Some(workflow.id);
        }
        let found = runs::for_repository(conn, repository.id, &filter, limit, offset)?;
        Ok((found, runs::count(conn, repository.id, &filter)?))
    })?;
    let mut bodies = Vec::with_capacity(found.len());
    for run in &found {
        bodies.push(bodies::run(&call.app, &repository, run).await?);
    }
    let body = json!({ "total_count": total, "workflow_runs": bodies });
    Ok(call.paging.wrap(body, total))
}

/// The run of the address, as it is or as it was in an attempt.
fn find(call: &Call) -> Result<(Repository, WorkflowRun)> {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    let run = call.read(|conn| {
        let run = run_of(conn, &repository, id)?;
        if call.path("attempt").is_empty() {
            return Ok(run);
        }
        let attempt = call.number("attempt")?;
        runs::by_attempt(conn, id, attempt)?.ok_or(ApiError::NotFound)
    })?;
    Ok((repository, run))
}

async fn one(call: Call) -> Answer {
    let (repository, run) = find(&call)?;
    ok(bodies::run(&call.app, &repository, &run).await?)
}

async fn logs(call: Call) -> Answer {
    let (_, run) = find(&call)?;
    // A public repository can be read by everyone, but its logs only by users.
    call.caller.user()?;
    let download = Download::RunLogs {
        run_id: run.id,
        attempt: run.attempt.number,
    };
    Ok(downloads::redirect(&call.app, download))
}

async fn rerun_all(call: Call) -> Answer {
    start_again(&call, Which::All).await
}

async fn rerun_failed(call: Call) -> Answer {
    start_again(&call, Which::Failed).await
}

async fn start_again(call: &Call, which: Which) -> Answer {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    let (caller, at) = (call.caller.clone(), call.app.now());
    let started = call.app.write(move |tx| {
        caller.check(tx, &repository, Permission::Write)?;
        let run = run_of(tx, &repository, id)?;
        rerun::start(tx, &run, which, caller.user()?, &at)
    });
    started.await?;
    created(json!({}))
}

async fn cancel_run(call: Call) -> Answer {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    let (caller, at) = (call.caller.clone(), call.app.now());
    let ended = call.app.write(move |tx| {
        caller.check(tx, &repository, Permission::Write)?;
        let run = run_of(tx, &repository, id)?;
        cancel::cancel(tx, &run, &at)
    });
    ended.await?;
    accepted(json!({}))
}

async fn approve_run(call: Call) -> Answer {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    approve::approve(call.on(&repository), id).await?;
    created(json!({}))
}

async fn one_job(call: Call) -> Answer {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    call.show(|view| {
        let (run, job) = job_of(view.conn, &repository, id)?;
        bodies::job(view, &repository, &run, &job)
    })
}

async fn job_log(call: Call) -> Answer {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    call.caller.user()?;
    let (_, job) = call.read(|conn| job_of(conn, &repository, id))?;
    let download = Download::JobLog { job_id: job.id };
    Ok(downloads::redirect(&call.app, download))
}

/// Of the newest attempt, of all, or of one.
async fn jobs_of_run(call: Call) -> Answer {
    let (repository, run) = find(&call)?;
    let found: Vec<Job> = call.read(|conn| {
        Ok(match (call.path("attempt"), call.get("filter")) {
            ("", Some("all")) => jobs::for_run(conn, run.id)?,
            ("", _) => jobs::for_attempt(conn, run.id, run.latest_attempt)?,
            _ => jobs::for_attempt(conn, run.id, run.attempt.number)?,
        })
    })?;
    call.counted("jobs", found, |view, job| {
        bodies::job(view, &repository, &run, job)
    })
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
