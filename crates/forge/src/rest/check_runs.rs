use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::payload::Payload;
use super::{Paging, apps, check_suites, head_commit, pull_references};
use crate::actions::checks::runs::{self, Output, Report};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::node_id::{Kind, node_id};
use crate::rest::view::View;
use crate::store::apps as app_rows;
use crate::store::check_annotations::{self, Annotation};
use crate::store::check_runs::{self as rows, CheckRun, RunFilter};
use crate::store::check_state::{AnnotationLevel, CheckStatus, Conclusion};
use crate::store::repositories::{self, Permission, Repository};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/repos/{owner}/{repo}/check-runs", post(create))
        .route(
            "/repos/{owner}/{repo}/check-runs/{id}",
            get(one).patch(update),
        )
        .route(
            "/repos/{owner}/{repo}/check-runs/{id}/annotations",
            get(annotations),
        )
        .route(
            "/repos/{owner}/{repo}/check-runs/{id}/rerequest",
            post(rerequest),
        )
        .route(
            "/repos/{owner}/{repo}/check-suites/{id}/check-runs",
            get(of_suite),
        )
        .route(
            "/repos/{owner}/{repo}/commits/{ref}/check-runs",
            get(of_commit),
        )
}

async fn create(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo)): Path<(String, String)>,
    mut payload: Payload,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let head_sha = payload.required_text("head_sha");
    let name = payload.required_text("name");
    let mut report = read_report(payload)?;
    report.name = Some(name);
    let run = runs::create(&app, &caller, repository, &head_sha, report).await?;
    Ok((StatusCode::CREATED, Json(shown(&app, &run)?)))
}

async fn update(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    payload: Payload,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let report = read_report(payload)?;
    let run = runs::update(&app, &caller, repository, id, report).await?;
    Ok(Json(shown(&app, &run)?))
}

async fn one(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<Json<Value>, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let run = app.read(|connection| runs::of_repository(connection, &repository, id))?;
    Ok(Json(shown(&app, &run)?))
}

async fn rerequest(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    runs::rerequest(&app, &caller, repository, id).await?;
    Ok((StatusCode::CREATED, Json(json!({}))))
}

async fn annotations(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    app.show(|view| {
        let run = runs::of_repository(view.connection, &repository, id)?;
        let found = check_annotations::of_run(view.connection, id)?;
        Ok(paging.answer_all(found, |annotation| {
            annotation_body(view, &repository, &run, &annotation)
        }))
    })
}

#[derive(Deserialize)]
struct ListQuery {
    check_name: Option<String>,
    status: Option<String>,
    filter: Option<String>,
    app_id: Option<i64>,
}

impl ListQuery {
    fn filter(&self) -> RunFilter<'_> {
        RunFilter {
            name: self.check_name.as_deref(),
            status: self.status.as_deref().and_then(CheckStatus::parse),
            app_id: self.app_id,
            replaced_too: self.filter.as_deref() == Some("all"),
        }
    }
}

async fn of_suite(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, id)): Path<(String, String, i64)>,
    Query(query): Query<ListQuery>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let found = app.read(|connection| {
        let suite = check_suites::of_repository(connection, &repository, id)?;
        Ok(rows::of_suite(connection, suite.id, query.filter())?)
    })?;
    list(&app, found, &paging)
}

async fn of_commit(
    State(app): State<App>,
    caller: Caller,
    Path((owner, repo, reference)): Path<(String, String, String)>,
    Query(query): Query<ListQuery>,
    paging: Paging,
) -> Result<Response, ApiError> {
    let repository = readable(&app, &caller, &owner, &repo)?;
    let sha = head_commit::find(&app, &repository, &reference).await?;
    let found = app.read(|connection| {
        let filter = query.filter();
        Ok(rows::of_commit(
            connection,
            repository.id,
            sha.as_str(),
            filter,
        )?)
    })?;
    list(&app, found, &paging)
}

fn list(app: &App, found: Vec<CheckRun>, paging: &Paging) -> Result<Response, ApiError> {
    let total = found.len();
    let bodies: Vec<Value> = paging
        .of(found)
        .iter()
        .map(|run| shown(app, run))
        .collect::<Result<_, _>>()?;
    let body = json!({ "total_count": total, "check_runs": bodies });
    Ok(paging.wrap(body, total))
}

pub(super) fn readable(
    app: &App,
    caller: &Caller,
    owner: &str,
    repo: &str,
) -> Result<Repository, ApiError> {
    app.read(|connection| caller.repository(connection, owner, repo, Permission::Read))
}

fn shown(app: &App, run: &CheckRun) -> Result<Value, ApiError> {
    app.show(|view| full(view, run))
}

/// `check-run` in GitHub's description.
pub(crate) fn full(view: View<'_>, run: &CheckRun) -> Result<Value, ApiError> {
    let repository = repositories::by_id(view.connection, run.repository_id)?;
    let app = app_rows::by_id(view.connection, run.app_id)?;
    let api = api_url(view, &repository, run.id);
    let page = page_url(view, &repository, run);
    let progress = run.progress;
    Ok(json!({
        "id": run.id,
        "name": run.name,
        "node_id": node_id(Kind::CheckRun, run.id),
        "head_sha": run.head_sha,
        "external_id": run.external_id,
        "url": api,
        "html_url": page,
        "details_url": run.details_url.as_ref().unwrap_or(&page),
        "status": progress.status().as_str(),
        "conclusion": progress.conclusion().map(Conclusion::as_str),
        "started_at": run.started_at,
        "completed_at": run.completed_at,
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": run.annotations_count,
            "annotations_url": format!("{api}/annotations"),
        },
        "check_suite": { "id": run.suite_id },
        "app": apps::full(view.urls, &app),
        "pull_requests": pull_references::of_commit(view, &repository, &run.head_sha)?,
    }))
}

pub(crate) fn api_url(view: View<'_>, repository: &Repository, id: i64) -> String {
    view.api(repository, &format!("/check-runs/{id}"))
}

/// Where people read about it.
pub(crate) fn page_url(view: View<'_>, repository: &Repository, run: &CheckRun) -> String {
    let id = run.id;
    match run.workflow_run_id {
        Some(run_id) => view.page(repository, &format!("/actions/runs/{run_id}/job/{id}")),
        None => view.page(repository, &format!("/runs/{id}")),
    }
}

fn annotation_body(
    view: View<'_>,
    repository: &Repository,
    run: &CheckRun,
    annotation: &Annotation,
) -> Value {
    let (sha, path) = (&run.head_sha, &annotation.path);
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

const REPORTED: &[CheckStatus] = &[
    CheckStatus::Queued,
    CheckStatus::InProgress,
    CheckStatus::Completed,
];

fn read_report(mut payload: Payload) -> Result<Report, ApiError> {
    let conclusions: Vec<Conclusion> = Conclusion::ALL
        .iter()
        .copied()
        .filter(|conclusion| Report::may_conclude(*conclusion))
        .collect();
    let report = Report {
        name: payload.text("name"),
        details_url: payload.text("details_url"),
        external_id: payload.text("external_id"),
        status: payload.word("status", REPORTED, CheckStatus::as_str),
        conclusion: payload.word("conclusion", &conclusions, Conclusion::as_str),
        started_at: payload.time("started_at"),
        completed_at: payload.time("completed_at"),
        output: payload.object("output").map(|mut part| {
            let output = read_output(&mut part);
            payload.absorb(part);
            output
        }),
        actions: payload.value("actions"),
    };
    payload.finish()?;
    Ok(report)
}

fn read_output(part: &mut Payload) -> Output {
    Output {
        title: part.required_text("title"),
        summary: part.required_text("summary"),
        text: part.text("text"),
        annotations: read_annotations(part),
    }
}

pub(super) fn read_annotations(part: &mut Payload) -> Vec<Annotation> {
    let mut annotations = Vec::new();
    for mut item in part.objects("annotations").unwrap_or_default() {
        let start_line = item.required_integer("start_line");
        let level = item.required_word(
            "annotation_level",
            AnnotationLevel::ALL,
            AnnotationLevel::as_str,
        );
        annotations.push(Annotation {
            path: item.required_text("path"),
            start_line,
            end_line: item.required_integer("end_line"),
            start_column: item.integer("start_column"),
            end_column: item.integer("end_column"),
            level: level.unwrap_or(AnnotationLevel::Notice),
            title: item.text("title"),
            message: item.required_text("message"),
            raw_details: item.text("raw_details"),
        });
        part.absorb(item);
    }
    annotations
}
