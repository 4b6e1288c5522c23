//! Payloads about checks, statuses, deployments and workflow runs.

use serde_json::{Map, json};

use super::{Fields, Occasion, fields};
use crate::store::{
    check_runs, check_suites, commit_statuses, workflow_jobs, workflow_runs, workflows as rows,
};
use crate::views::{checks, commits, workflows};

pub(super) async fn status(occasion: &Occasion<'_>) -> Fields {
    let Some(status) = occasion.row(commit_statuses::by_id)? else {
        return Ok(None);
    };
    let (repository, sha) = (&occasion.repository, &status.sha);
    let commit = commits::simple(occasion.app, repository, sha).await?;
    occasion.show(|view| {
        let body = checks::status(view, repository, &status);
        let mut fields = Map::new();
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
            fields.insert(key.to_owned(), body[key].clone());
        }
        fields.insert("sha".to_owned(), json!(sha));
        fields.insert("name".to_owned(), json!(repository.full_name()));
        let commit = json!({
            "sha": sha,
            "commit": commit,
            "url": view.api(repository, &format!("/commits/{sha}")),
            "html_url": commits::page(view, repository, sha),
        });
        fields.insert("commit".to_owned(), commit);
        fields.insert("branches".to_owned(), json!([]));
        Ok(Some(fields))
    })
}

pub(super) fn run(occasion: &Occasion<'_>) -> Fields {
    let Some(run) = occasion.row(check_runs::by_id)? else {
        return Ok(None);
    };
    occasion.show(|view| fields(json!({ "check_run": checks::run(view, &run)? })))
}

pub(super) async fn suite(occasion: &Occasion<'_>) -> Fields {
    let Some(suite) = occasion.row(check_suites::by_id)? else {
        return Ok(None);
    };
    let body = checks::suite(occasion.app, &occasion.repository, &suite).await?;
    fields(json!({ "check_suite": body }))
}

pub(super) async fn workflow_run(occasion: &Occasion<'_>) -> Fields {
    let repository = &occasion.repository;
    let found = occasion.row(|conn, id| match occasion.number("attempt") {
        Some(attempt) => workflow_runs::by_attempt(conn, id, attempt),
        None => workflow_runs::by_id(conn, id),
    })?;
    let Some(run) = found else {
        return Ok(None);
    };
    let workflow = occasion.show(|view| {
        let workflow = rows::by_id(view.conn, run.workflow_id)?;
        Ok(workflow.map(|found| workflows::workflow(view, repository, &found)))
    })?;
    let run = workflows::run(occasion.app, repository, &run).await?;
    fields(json!({ "workflow_run": run, "workflow": workflow }))
}

pub(super) fn workflow_job(occasion: &Occasion<'_>) -> Fields {
    let Some(job) = occasion.row(workflow_jobs::by_id)? else {
        return Ok(None);
    };
    occasion.show(|view| {
        let Some(run) = workflow_runs::by_id(view.conn, job.run_id)? else {
            return Ok(None);
        };
        let body = workflows::job(view, &occasion.repository, &run, &job)?;
        fields(json!({ "workflow_job": body }))
    })
}
