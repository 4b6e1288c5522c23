//! Check runs, check suites and commit statuses.

use super::commits::find_commit;
use super::payload::Payload;
use super::prelude::*;
use crate::actions::checks::runs::{self, Output, Report};
use crate::actions::checks::statuses::{self, Statement};
use crate::store::check_annotations::{self, Annotation};
use crate::store::check_runs::{self, RunFilter};
use crate::store::check_state::{AnnotationLevel, CheckStatus, Conclusion, StatusState};
use crate::store::check_suites::{self, SuiteFilter};
use crate::store::{commit_statuses, rollup};
use crate::views::{checks, repositories};

pub(super) fn routes() -> Router<App> {
    const RUN: &str = "/repos/{owner}/{repo}/check-runs/{id}";
    const COMMIT: &str = "/repos/{owner}/{repo}/commits/{ref}";
    Router::new()
        .route("/repos/{owner}/{repo}/check-runs", post(create))
        .route(RUN, get(one).patch(update))
        .route(&format!("{RUN}/annotations"), get(annotations))
        .route(&format!("{COMMIT}/check-runs"), get(runs_of_commit))
        .route(&format!("{COMMIT}/check-suites"), get(suites_of_commit))
        .route(&format!("{COMMIT}/status"), get(status_of_commit))
        .route("/repos/{owner}/{repo}/statuses/{sha}", post(create_status))
}

async fn create(call: Call) -> Answer {
    let mut input = call.payload()?;
    let head_sha = input.required_text("head_sha");
    let name = input.required_text("name");
    let mut report = read_report(input)?;
    report.name = Some(name);
    let repository = call.repository(Permission::Read)?;
    let run = runs::create(call.on(&repository), &head_sha, report).await?;
    call.show_new(|view| checks::run(view, &run))
}

async fn update(call: Call) -> Answer {
    let report = read_report(call.payload()?)?;
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    let run = runs::update(call.on(&repository), id, report).await?;
    call.show(|view| checks::run(view, &run))
}

async fn one(call: Call) -> Answer {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    call.show(|view| checks::run(view, &runs::find(view.conn, &repository, id)?))
}

async fn annotations(call: Call) -> Answer {
    let (repository, id) = (call.repository(Permission::Read)?, call.number("id")?);
    let (run, found) = call.read(|conn| {
        let run = runs::find(conn, &repository, id)?;
        Ok((run, check_annotations::for_run(conn, id)?))
    })?;
    call.list(found, |view, found| {
        Ok(checks::annotation(view, &repository, &run.head_sha, found))
    })
}

fn run_filter(call: &Call) -> RunFilter<'_> {
    RunFilter {
        name: call.get("check_name"),
        status: call.get("status").and_then(CheckStatus::parse),
        app_id: call.get("app_id").and_then(|id| id.parse().ok()),
        replaced_too: call.get("filter") == Some("all"),
    }
}

async fn runs_of_commit(call: Call) -> Answer {
    let (repository, git) = call.git()?;
    let sha = find_commit(&git, call.path("ref")).await?;
    let (id, filter) = (repository.id, run_filter(&call));
    let found = call.rows(|conn| check_runs::for_commit(conn, id, sha.as_str(), filter))?;
    call.counted("check_runs", found, checks::run)
}

async fn suites_of_commit(call: Call) -> Answer {
    let (repository, git) = call.git()?;
    let sha = find_commit(&git, call.path("ref")).await?;
    let filter = SuiteFilter {
        app_id: call.get("app_id").and_then(|id| id.parse().ok()),
        check_name: call.get("check_name"),
    };
    let found = call.read(|conn| {
        let id = repository.id;
        Ok(check_suites::for_commit(conn, id, sha.as_str(), filter)?)
    })?;
    let total = found.len();
    let mut bodies = Vec::new();
    for suite in call.paging.page(found) {
        bodies.push(checks::suite(&call.app, &repository, &suite).await?);
    }
    let body = json!({ "total_count": total, "check_suites": bodies });
    Ok(call.paging.wrap(body, total))
}

async fn create_status(call: Call) -> Answer {
    let mut input = call.payload()?;
    let state = input.required_word("state", StatusState::ALL, StatusState::as_str);
    let statement = Statement {
        state: state.unwrap_or(StatusState::Pending),
        context: input.text("context"),
        description: input.text("description"),
        target_url: input.text("target_url"),
    };
    input.finish()?;
    let (repository, sha) = (call.repository(Permission::Read)?, call.path("sha"));
    let status = statuses::create(call.on(&repository), sha, statement).await?;
    let body = call
        .app
        .show(|view| Ok(checks::status(view, &repository, &status)))?;
    created_there(body)
}

/// All statuses of a commit in one. Unlike checks, statuses of nothing are not found.
async fn status_of_commit(call: Call) -> Answer {
    let (repository, git) = call.git()?;
    let sha = git.resolve_commit(call.path("ref")).await?;
    let sha = sha.ok_or(ApiError::NotFound)?;
    let found = call.read(|conn| {
        let id = repository.id;
        Ok(commit_statuses::latest_of_commit(conn, id, sha.as_str())?)
    })?;
    let total = found.len();
    let state = match rollup::combined(found.iter().map(|status| status.state)) {
        Some(StatusState::Success) => "success",
        Some(StatusState::Error | StatusState::Failure) => "failure",
        Some(StatusState::Pending) | None => "pending",
    };
    let body = call.app.show(|view| {
        let commit = view.api(&repository, &format!("/commits/{sha}"));
        let shown = call.paging.page(found);
        let statuses = shown
            .iter()
            .map(|status| checks::simple_status(view, &repository, status));
        Ok(json!({
            "state": state,
            "statuses": statuses.collect::<Vec<_>>(),
            "sha": sha.as_str(),
            "total_count": total,
            "repository": repositories::minimal(view, &repository, None)?,
            "commit_url": commit,
            "url": format!("{commit}/status"),
        }))
    })?;
    Ok(call.paging.wrap(body, total))
}

const REPORTED: &[CheckStatus] = &[
    CheckStatus::Queued,
    CheckStatus::InProgress,
    CheckStatus::Completed,
];

fn read_report(mut input: Payload) -> Result<Report> {
    let conclusions = Conclusion::ALL.iter().copied();
    let conclusions: Vec<Conclusion> = conclusions
        .filter(|conclusion| Report::may_conclude(*conclusion))
        .collect();
    let report = Report {
        name: input.text("name"),
        details_url: input.text("details_url"),
        external_id: input.text("external_id"),
        status: input.word("status", REPORTED, CheckStatus::as_str),
        conclusion: input.word("conclusion", &conclusions, Conclusion::as_str),
        started_at: input.time("started_at"),
        completed_at: input.time("completed_at"),
        output: input.object("output").map(|mut part| {
            let output = Output {
                title: part.required_text("title"),
                summary: part.required_text("summary"),
                text: part.text("text"),
                annotations: read_annotations(&mut part),
            };
            input.absorb(part);
            output
        }),
        actions: input.value("actions"),
    };
    input.finish()?;
    Ok(report)
}

pub(super) fn read_annotations(part: &mut Payload) -> Vec<Annotation> {
    let mut annotations = Vec::new();
    for mut item in part.objects("annotations").unwrap_or_default() {
        let start_line = item.required_integer("start_line");
        let levels = AnnotationLevel::ALL;
        let level = item.required_word("annotation_level", levels, AnnotationLevel::as_str);
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
