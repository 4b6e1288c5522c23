//! Check runs, check suites and statuses as JSON.

use super::{commits, pulls, repositories, users};
use crate::store::apps;
use crate::store::check_annotations::Annotation;
use crate::store::check_runs::{self, CheckRun};
use crate::store::check_state::{Conclusion, Progress};
use crate::store::check_suites::CheckSuite;
use crate::store::commit_statuses::CommitStatus;
use crate::store::repositories as repository_rows;
use crate::store::workflow_steps::Step;
use crate::views::prelude::*;

/// What the row itself says.
pub(crate) fn run_facts(view: View<'_>, repository: &Repository, run: &CheckRun) -> Value {
    let id = run.id;
    // A job has its page in the run.
    let page = match run.workflow_run_id {
        Some(run_id) => view.page(repository, &format!("/actions/runs/{run_id}/job/{id}")),
        None => view.page(repository, &format!("/runs/{id}")),
    };
    let facts = json!({
        "id": id,
        "name": run.name,
        "node_id": node_id(Kind::CheckRun, id),
        "head_sha": run.head_sha,
        "external_id": run.external_id,
        "html_url": page,
        "details_url": run.details_url.as_ref().unwrap_or(&page),
        "started_at": run.started_at,
        "completed_at": run.completed_at,
    });
    merged(facts, progress(run.progress))
}

/// `check-run` in GitHub's description.
pub(crate) fn run(view: View<'_>, run: &CheckRun) -> Result<Value> {
    let repository = repository_rows::by_id(view.conn, run.repository_id)?;
    let app = apps::by_id(view.conn, run.app_id)?;
    let api = run_url(view, &repository, run.id);
    let more = json!({
        "url": api,
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": run.annotations_count,
            "annotations_url": format!("{api}/annotations"),
        },
        "check_suite": { "id": run.suite_id },
        "app": users::app(view.urls, &app),
        "pull_requests": pulls::for_commit(view, &repository, &run.head_sha)?,
    });
    Ok(merged(run_facts(view, &repository, run), more))
}

pub(crate) fn run_url(view: View<'_>, repository: &Repository, id: i64) -> String {
    view.api(repository, &format!("/check-runs/{id}"))
}

fn progress(progress: Progress) -> Value {
    json!({
        "status": progress.status().as_str(),
        "conclusion": progress.conclusion().map(Conclusion::as_str),
    })
}

pub(crate) fn annotation(
    view: View<'_>,
    repository: &Repository,
    sha: &str,
    annotation: &Annotation,
) -> Value {
    let path = &annotation.path;
    json!({
        "path": path,
        "blob_href": view.page(repository, &format!("/blob/{sha}/{path}")),
        "start_line": annotation.start_line,
        "start_column": annotation.start_column,
        "end_line": annotation.end_line,
        "end_column": annotation.end_column,
        "annotation_level": annotation.level.as_str(),
        "title": annotation.title,
        "message": annotation.message,
        "raw_details": annotation.raw_details,
    })
}

/// Of a job.
pub(crate) fn step(step: &Step) -> Value {
    let facts = json!({
        "name": step.name,
        "number": step.number,
        "started_at": step.started_at,
        "completed_at": step.completed_at,
    });
    merged(facts, progress(step.progress))
}

/// What the row itself says.
pub(crate) fn suite_facts(view: View<'_>, repository: &Repository, suite: &CheckSuite) -> Value {
    let (id, sha) = (suite.id, &suite.head_sha);
    let page = format!("/commit/{sha}/checks?check_suite_id={id}");
    let facts = json!({
        "id": id,
        "node_id": node_id(Kind::CheckSuite, id),
        "head_branch": suite.head_branch,
        "head_sha": sha,
        "html_url": view.page(repository, &page),
        "created_at": suite.created_at,
        "updated_at": suite.updated_at,
    });
    merged(facts, progress(suite.progress))
}

/// `check-suite` in GitHub's description.
pub(crate) async fn suite(app: &App, repository: &Repository, suite: &CheckSuite) -> Result<Value> {
    let commit = commits::simple(app, repository, &suite.head_sha).await?;
    app.show(|view| {
        let reporter = apps::by_id(view.conn, suite.app_id)?;
        let api = suite_url(view, repository, suite.id);
        let mut facts = suite_facts(view, repository, suite);
        if let Some(facts) = facts.as_object_mut() {
            // REST does not say where its page is.
            facts.remove("html_url");
        }
        let more = json!({
            "url": api,
            "before": suite.before_sha,
            "after": suite.head_sha,
            "pull_requests": pulls::for_commit(view, repository, &suite.head_sha)?,
            "app": users::app(view.urls, &reporter),
            "repository": repositories::minimal(view, repository, None)?,
            "rerequestable": true,
            "runs_rerequestable": true,
            "head_commit": commit,
            "latest_check_runs_count": check_runs::latest_count(view.conn, suite.id)?,
            "check_runs_url": format!("{api}/check-runs"),
        });
        Ok(merged(facts, more))
    })
}

pub(crate) fn suite_url(view: View<'_>, repository: &Repository, id: i64) -> String {
    view.api(repository, &format!("/check-suites/{id}"))
}

/// `status` in GitHub's description.
pub(crate) fn status(view: View<'_>, repository: &Repository, status: &CommitStatus) -> Value {
    let mut body = simple_status(view, repository, status);
    let creator = status.creator.as_ref();
    body["creator"] = creator.map_or(Value::Null, |creator| users::simple(view.urls, creator));
    body
}

pub(crate) fn simple_status(
    view: View<'_>,
    repository: &Repository,
    status: &CommitStatus,
) -> Value {
    let creator = status.creator.as_ref();
    json!({
        "url": view.api(repository, &format!("/statuses/{}", status.sha)),
        "avatar_url": creator.map(|creator| users::avatar(view.urls, &creator.login)),
        "id": status.id,
        "node_id": node_id(Kind::StatusContext, status.id),
        "state": status.state.as_str(),
        "description": status.description,
        "target_url": status.target_url,
        "context": status.context,
        "created_at": status.created_at,
        "updated_at": status.created_at,
    })
}
