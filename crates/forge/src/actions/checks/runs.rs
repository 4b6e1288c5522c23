//! Reporting check runs.

use super::{known_commit, suites};
use crate::actions::prelude::*;
use crate::store::check_annotations::{self, Annotation};
use crate::store::check_runs::{self, CheckRun, NewCheckRun};
use crate::store::check_state::{CheckStatus, Conclusion, Progress};

/// How many remarks one request may bring.
pub(crate) const ANNOTATIONS_PER_REQUEST: usize = 50;

/// What a report says; whatever is absent stays as it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    pub(crate) name: Option<String>,
    pub(crate) details_url: Option<String>,
    pub(crate) external_id: Option<String>,
    pub(crate) status: Option<CheckStatus>,
    pub(crate) conclusion: Option<Conclusion>,
    pub(crate) started_at: Option<String>,
    pub(crate) completed_at: Option<String>,
    pub(crate) output: Option<Output>,
    /// The buttons that the app offers.
    pub(crate) actions: Option<Value>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Output {
    pub(crate) title: String,
    pub(crate) summary: String,
    pub(crate) text: Option<String>,
    pub(crate) annotations: Vec<Annotation>,
}

pub(crate) async fn create(
    cx: RepoContext<'_>,
    head_sha: &str,
    report: Report,
) -> Result<CheckRun> {
    let bot = suites::reporting_bot(cx.caller)?.clone();
    let name = report.name.clone().ok_or_else(|| {
        ApiError::Unprocessable("Invalid request.\n\n\"name\" wasn't supplied.".to_owned())
    })?;
    let sha = known_commit(cx.app, cx.repository, head_sha).await?;
    let branch = suites::branch_of(cx.app, cx.repository, &sha).await?;
    cx.allowed(Permission::Write)?;
    cx.change(move |change| {
        let suite_id = suites::for_bot(change, &bot, sha.as_str(), branch.as_deref())?;
        let id = check_runs::create(
            change.tx,
            &NewCheckRun {
                suite_id,
                name: &name,
                external_id: "",
                details_url: None,
                progress: Progress::QUEUED,
                started_at: Some(change.at),
                completed_at: None,
            },
        )?;
        change.event("check_run", "created", id, None)?;
        take(change, id, report)
    })
    .await
}

pub(crate) async fn update(cx: RepoContext<'_>, id: i64, report: Report) -> Result<CheckRun> {
    let bot = suites::reporting_bot(cx.caller)?.clone();
    cx.allowed(Permission::Write)?;
    let repository = cx.repository.clone();
    cx.change(move |change| {
        let run = find(change.tx, &repository, id)?;
        suites::check_app(change.tx, run.app_id, &bot)?;
        take(change, id, report)
    })
    .await
}

/// The check run, when it belongs to the repository.
pub(crate) fn find(conn: &Connection, repository: &Repository, id: i64) -> Result<CheckRun> {
    check_runs::by_id(conn, id)?
        .filter(|run| run.repository_id == repository.id)
        .ok_or(ApiError::NotFound)
}

/// Writes a report down, and what follows from it for the suite.
fn take(change: Change<'_>, id: i64, report: Report) -> Result<CheckRun> {
    let (tx, at) = (change.tx, change.at);
    let mut run = check_runs::by_id(tx, id)?.ok_or(ApiError::NotFound)?;
    let before = run.progress;
    run.progress = next_progress(&run, &report)?;
    run.completed_at = match run.progress {
        Progress::Unfinished(_) => None,
        Progress::Completed(_) => report
            .completed_at
            .or(run.completed_at)
            .or_else(|| Some(at.to_owned())),
    };
    run.name = report.name.unwrap_or(run.name);
    run.external_id = report.external_id.unwrap_or(run.external_id);
    run.details_url = report.details_url.or(run.details_url);
    run.started_at = report.started_at.or(run.started_at);
    if let Some(output) = report.output {
        if output.annotations.len() > ANNOTATIONS_PER_REQUEST {
            let count = output.annotations.len();
            return Err(ApiError::Unprocessable(format!(
                "Invalid request.\n\nNo more than {ANNOTATIONS_PER_REQUEST} items are allowed; {count} were supplied."
            )));
        }
        run.title = Some(output.title);
        run.summary = Some(output.summary);
        run.text = output.text;
        for annotation in &output.annotations {
            check_annotations::add(tx, id, annotation)?;
        }
    }
    check_runs::update(tx, &run)?;
    if let Some(actions) = &report.actions {
        check_runs::set_actions(tx, id, &actions.to_string())?;
    }
    if run.progress.is_completed() && run.progress != before {
        change.event("check_run", "completed", id, None)?;
    }
    suites::follow(change, run.suite_id)?;
    check_runs::by_id(tx, id)?.ok_or(ApiError::NotFound)
}

/// A conclusion completes a run whatever status is given with it.
fn next_progress(run: &CheckRun, report: &Report) -> Result<Progress> {
    if let Some(conclusion) = report.conclusion {
        return Ok(Progress::Completed(conclusion));
    }
    let ends = report.status == Some(CheckStatus::Completed) || report.completed_at.is_some();
    match (report.status, ends) {
        (_, true) if run.progress.is_completed() => Ok(run.progress),
        (_, true) => Err(ApiError::Unprocessable(
            "Invalid request.\n\n\"conclusion\" wasn't supplied.".to_owned(),
        )),
        (Some(status), false) => Ok(Progress::Unfinished(status)),
        (None, false) => Ok(run.progress),
    }
}

impl Report {
    /// Whether a request may bring this conclusion: some are the forge's own.
    pub(crate) fn may_conclude(conclusion: Conclusion) -> bool {
        conclusion != Conclusion::StartupFailure
    }
}

/// Only the app that made a check may change it.
pub(super) fn foreign_app(app_id: i64) -> ApiError {
    ApiError::Refused {
        status: StatusCode::FORBIDDEN,
        message: format!(
            "Invalid app_id `{app_id}` - check run can only be modified by the GitHub App that created it."
        ),
    }
}
