use serde_json::{Map, Value, json};

use super::{Occasion, fields};
use crate::error::ApiError;
use crate::rest::{check_runs, check_suites, commit_statuses, head_commit, workflow_jobs};
use crate::rest::{workflow_runs, workflows};
use crate::store::check_runs as run_rows;
use crate::store::check_suites as suite_rows;
use crate::store::commit_statuses as status_rows;
use crate::store::workflow_jobs as job_rows;
use crate::store::workflow_runs as workflow_run_rows;
use crate::store::workflows as workflow_rows;

type Told = Result<Option<Map<String, Value>>, ApiError>;

pub(super) async fn status(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let repository = &occasion.repository;
    let found = occasion.show(|view| {
        let status = status_rows::by_id(view.connection, id)?;
        Ok(status.map(|status| {
            let body = commit_statuses::full(view, repository, &status);
            (status.sha, body)
        }))
    })?;
    let Some((sha, body)) = found else {
        return Ok(None);
    };
    let commit = head_commit::simple(occasion.app, repository, &sha).await?;
    let mut told = Map::new();
    for key in [
        "id",
        "avatar_url",
        "target_url",
        "context",
        "description",
        "state",
        "created_at",
        "updated_at",
    ] {
        told.insert(key.to_owned(), body[key].clone());
    }
    let page = format!("/{}/commit/{sha}", repository.full_name());
    told.extend(fields(json!({
        "sha": sha,
        "name": repository.full_name(),
        "commit": {
            "sha": sha,
            "commit": commit,
            "url": occasion.app.urls().api(&format!("/repos/{}/commits/{sha}", repository.full_name())),
            "html_url": occasion.app.urls().page(&page),
        },
        "branches": [],
    })));
    Ok(Some(told))
}

pub(super) fn run(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    occasion.show(|view| {
        let Some(run) = run_rows::by_id(view.connection, id)? else {
            return Ok(None);
        };
        let body = check_runs::full(view, &run)?;
        Ok(Some(fields(json!({ "check_run": body }))))
    })
}

pub(super) async fn suite(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let suite = occasion.show(|view| Ok(suite_rows::by_id(view.connection, id)?))?;
    let Some(suite) = suite else {
        return Ok(None);
    };
    let body = check_suites::full(occasion.app, &occasion.repository, &suite).await?;
    Ok(Some(fields(json!({ "check_suite": body }))))
}

pub(super) async fn workflow_run(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let repository = &occasion.repository;
    let found = occasion.show(|view| {
        let run = match occasion.number("attempt") {
            Some(attempt) => workflow_run_rows::by_attempt(view.connection, id, attempt)?,
            None => workflow_run_rows::by_id(view.connection, id)?,
        };
        let Some(run) = run else {
            return Ok(None);
        };
        let workflow = workflow_rows::by_id(view.connection, run.workflow_id)?;
        let workflow = workflow.map(|workflow| workflows::full(view, repository, &workflow));
        Ok(Some((run, workflow)))
    })?;
    let Some((run, workflow)) = found else {
        return Ok(None);
    };
    let run = workflow_runs::full(occasion.app, repository, &run).await?;
    Ok(Some(fields(
        json!({ "workflow_run": run, "workflow": workflow }),
    )))
}

pub(super) fn workflow_job(occasion: &Occasion<'_>) -> Told {
    let Some(id) = occasion.subject() else {
        return Ok(None);
    };
    let repository = &occasion.repository;
    occasion.show(|view| {
        let Some(job) = job_rows::by_id(view.connection, id)? else {
            return Ok(None);
        };
        let Some(run) = workflow_run_rows::by_id(view.connection, job.run_id)? else {
            return Ok(None);
        };
        let body = workflow_jobs::full(view, repository, &run, &job)?;
        Ok(Some(fields(json!({ "workflow_job": body }))))
    })
}
