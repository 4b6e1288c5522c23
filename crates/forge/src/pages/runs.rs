//! Checks: runs of workflows, their jobs and logs, and what others reported.

use axum::extract::Query;

use super::html::Html;
use super::issues::{ListQuery, PAGE_SIZE};
use super::log::{self, Log};
use super::markdown::{self, Place};
use super::moment::lasted;
use super::prelude::*;
use super::visit::Number;
use crate::store::check_runs::{self, CheckRun};
use crate::store::check_state::{CheckStatus, Conclusion, Progress, StatusState};
use crate::store::rollup::{self, Context};
use crate::store::workflow_jobs::{self, Job};
use crate::store::workflow_runs::{self, RunFilter, WorkflowRun};
use crate::store::{check_annotations, workflow_steps, workflows};
use crate::views::View;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/{owner}/{name}/actions", get(list))
        .route("/{owner}/{name}/actions/runs/{run}", get(run))
        .route("/{owner}/{name}/actions/runs/{run}/job/{job}", get(job))
        .route("/{owner}/{name}/runs/{id}", get(check_run))
}

/// A check or status of a commit, in a list.
pub(super) struct CheckRow {
    pub(super) icon: Icon,
    pub(super) name: String,
    pub(super) told: String,
    /// On this forge, or elsewhere.
    pub(super) address: Option<String>,
}

pub(super) fn check_rows(
    view: View<'_>,
    repository: &Repository,
    sha: &str,
) -> Result<Vec<CheckRow>> {
    let rollup = rollup::for_commit(view.conn, repository.id, sha)?;
    let rows = rollup.contexts.iter().map(|context| match context {
        Context::CheckRun(run) => CheckRow {
            icon: progress_icon(run.progress),
            name: run.name.clone(),
            told: told(run),
            address: Some(address_of(repository, run)),
        },
        Context::Status(status) => CheckRow {
            icon: rollup_icon(status.state),
            name: status.context.clone(),
            told: status.description.clone().unwrap_or_default(),
            address: status.target_url.clone().filter(|url| is_web(url)),
        },
    });
    Ok(rows.collect())
}

fn told(run: &CheckRun) -> String {
    let state = in_words(run.progress);
    let span = lasted(run.started_at.as_deref(), run.completed_at.as_deref());
    match (&run.title, span) {
        (Some(title), _) => format!("{state}: {title}"),
        (None, Some(span)) => format!("{state} after {span}"),
        (None, None) => state,
    }
}

fn address_of(repository: &Repository, run: &CheckRun) -> String {
    let (home, id) = (home_of(repository), run.id);
    match run.workflow_run_id {
        Some(run) => format!("{home}/actions/runs/{run}/job/{id}"),
        None => format!("{home}/runs/{id}"),
    }
}

/// A link of strangers may lead to the web, and nowhere else.
fn is_web(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

pub(super) fn rollup_icon(state: StatusState) -> Icon {
    match state {
        StatusState::Success => Icon::Success,
        StatusState::Failure | StatusState::Error => Icon::Failure,
        StatusState::Pending => Icon::Pending,
    }
}

fn progress_icon(progress: Progress) -> Icon {
    match progress {
        Progress::Unfinished(CheckStatus::InProgress) => Icon::Running,
        Progress::Unfinished(_) | Progress::Completed(Conclusion::ActionRequired) => Icon::Pending,
        Progress::Completed(Conclusion::Success) => Icon::Success,
        Progress::Completed(
            Conclusion::Neutral | Conclusion::Skipped | Conclusion::Cancelled | Conclusion::Stale,
        ) => Icon::Skipped,
        Progress::Completed(
            Conclusion::Failure | Conclusion::StartupFailure | Conclusion::TimedOut,
        ) => Icon::Failure,
    }
}

fn in_words(progress: Progress) -> String {
    let word = match progress {
        Progress::Unfinished(status) => status.as_str(),
        Progress::Completed(conclusion) => conclusion.as_str(),
    };
    word.replace('_', " ")
}

#[derive(Template)]
#[template(path = "runs.html")]
struct RunsPage {
    chrome: Chrome,
    repo: Masthead,
    runs: Vec<RunRow>,
    newer: Option<String>,
    older: Option<String>,
}

struct RunRow {
    icon: Icon,
    address: String,
    title: String,
    workflow: String,
    number: i64,
    event: String,
    branch: Option<String>,
    actor: Option<Person>,
    started: Moment,
    lasted: Option<String>,
}

async fn list(
    visit: Visit,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<ListQuery>,
) -> Result<Page<RunsPage>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    let (page, home) = (query.page(), home_of(&repository));
    let mut runs = visit.app.show(|view| {
        let skip = (page - 1) * PAGE_SIZE;
        let all = RunFilter::default();
        let found =
            workflow_runs::for_repository(view.conn, repository.id, &all, PAGE_SIZE + 1, skip)?;
        let rows = found.iter().map(|run| row(&visit, view, &home, run));
        rows.collect::<Result<Vec<_>, _>>()
    })?;
    let has_more = runs.len() > PAGE_SIZE;
    runs.truncate(PAGE_SIZE);
    Ok(Page(RunsPage {
        chrome: visit.chrome(format!("Checks · {}", repository.full_name())),
        repo: visit.masthead(&repository, Tab::Actions)?,
        runs,
        newer: (page > 1).then(|| format!("{home}/actions?page={}", page - 1)),
        older: has_more.then(|| format!("{home}/actions?page={}", page + 1)),
    }))
}

fn row(visit: &Visit, view: View<'_>, home: &str, run: &WorkflowRun) -> Result<RunRow> {
    let workflow = workflows::by_id(view.conn, run.workflow_id)?;
    let progress = run.attempt.progress;
    let end = progress
        .is_completed()
        .then_some(run.attempt.updated_at.as_str());
    Ok(RunRow {
        icon: progress_icon(progress),
        address: format!("{home}/actions/runs/{}", run.id),
        title: run.display_title.clone(),
        workflow: workflow.map(|workflow| workflow.name).unwrap_or_default(),
        number: run.number,
        event: run.event.replace('_', " "),
        branch: run.head_branch.clone(),
        actor: run.actor.as_ref().map(Person::from),
        started: visit.moment(&run.attempt.started_at),
        lasted: lasted(Some(&run.attempt.started_at), end),
    })
}

#[derive(Template)]
#[template(path = "run.html")]
struct RunPage {
    chrome: Chrome,
    repo: Masthead,
    run: RunRow,
    state: String,
    sha: String,
    attempt: i64,
    jobs: Vec<JobRow>,
}

struct JobRow {
    icon: Icon,
    name: String,
    address: String,
    state: String,
    lasted: Option<String>,
    steps: Vec<StepRow>,
}

struct StepRow {
    icon: Icon,
    name: String,
    lasted: Option<String>,
    log: Option<Log>,
    /// Shown at once where something went wrong or is under way.
    is_open: bool,
}

async fn run(
    visit: Visit,
    Path((owner, name, Number(id))): Path<(String, String, Number)>,
) -> Result<Page<RunPage>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    let home = home_of(&repository);
    let (run, shown, jobs) = visit.app.show(|view| {
        let run = find_run(view, &repository, id)?;
        let found = workflow_jobs::for_attempt(view.conn, run.id, run.attempt.number)?;
        let jobs = found.iter().map(|job| job_row(view, &home, job));
        let jobs: Vec<JobRow> = jobs.collect::<Result<_, _>>()?;
        let shown = row(&visit, view, &home, &run)?;
        Ok((run, shown, jobs))
    })?;
    Ok(Page(RunPage {
        chrome: visit.chrome(format!(
            "{} · {}",
            run.display_title,
            repository.full_name()
        )),
        repo: visit.masthead(&repository, Tab::Actions)?,
        state: in_words(run.attempt.progress),
        sha: run.head_sha,
        attempt: run.attempt.number,
        run: shown,
        jobs,
    }))
}

fn find_run(view: View<'_>, repository: &Repository, id: i64) -> Result<WorkflowRun> {
    let run = workflow_runs::by_id(view.conn, id)?;
    let run = run.filter(|run| run.repository_id == repository.id);
    run.ok_or(ApiError::NotFound)
}

fn job_row(view: View<'_>, home: &str, job: &Job) -> Result<JobRow> {
    let steps = workflow_steps::for_job(view.conn, job.id)?;
    let steps = steps.iter().map(|step| StepRow {
        icon: progress_icon(step.progress),
        name: step.name.clone(),
        lasted: lasted(step.started_at.as_deref(), step.completed_at.as_deref()),
        log: None,
        is_open: false,
    });
    Ok(JobRow {
        icon: progress_icon(job.progress),
        name: job.name.clone(),
        address: format!("{home}/actions/runs/{}/job/{}", job.run_id, job.id),
        state: in_words(job.progress),
        lasted: lasted(job.started_at.as_deref(), job.completed_at.as_deref()),
        steps: steps.collect(),
    })
}

#[derive(Template)]
#[template(path = "job.html")]
struct JobPage {
    chrome: Chrome,
    repo: Masthead,
    run: RunRow,
    job: JobRow,
    annotations: Vec<Remark>,
}

/// An annotation.
struct Remark {
    level: &'static str,
    place: String,
    title: Option<String>,
    message: String,
}

async fn job(
    visit: Visit,
    Path((owner, name, Number(run_id), Number(id))): Path<(String, String, Number, Number)>,
) -> Result<Page<JobPage>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    let home = home_of(&repository);
    let (run, found, mut shown, numbers, annotations) = visit.app.show(|view| {
        let run = find_run(view, &repository, run_id)?;
        let job = workflow_jobs::by_id(view.conn, id)?;
        let job = job.filter(|job| job.run_id == run.id);
        let job = job.ok_or(ApiError::NotFound)?;
        let steps = workflow_steps::for_job(view.conn, job.id)?;
        let numbers: Vec<_> = steps
            .iter()
            .map(|step| (step.number, step.progress))
            .collect();
        let shown = job_row(view, &home, &job)?;
        let run = row(&visit, view, &home, &run)?;
        Ok((run, job, shown, numbers, remarks(view, id)?))
    })?;
    let files = visit.app.run_files();
    for (step, (number, progress)) in shown.steps.iter_mut().zip(numbers) {
        let path = files.step_log(repository.id, found.id, number);
        let log = tokio::task::spawn_blocking(move || log::read(&path)).await;
        let log = log.map_err(|_| ApiError::internal("a log could not be read"))?;
        let log = log.map_err(|error| ApiError::internal(format!("cannot read a log: {error}")))?;
        step.is_open = progress_icon(progress) == Icon::Failure || !progress.is_completed();
        step.log = Some(log).filter(|log| !log.lines.is_empty());
    }
    Ok(Page(JobPage {
        chrome: visit.chrome(format!("{} · {}", found.name, repository.full_name())),
        repo: visit.masthead(&repository, Tab::Actions)?,
        run,
        job: shown,
        annotations,
    }))
}

fn remarks(view: View<'_>, check_run_id: i64) -> Result<Vec<Remark>> {
    let found = check_annotations::for_run(view.conn, check_run_id)?;
    let remarks = found.into_iter().map(|annotation| Remark {
        level: annotation.level.as_str(),
        place: format!("{}:{}", annotation.path, annotation.start_line),
        title: annotation.title,
        message: annotation.message,
    });
    Ok(remarks.collect())
}

#[derive(Template)]
#[template(path = "check_run.html")]
struct CheckRunPage {
    chrome: Chrome,
    repo: Masthead,
    icon: Icon,
    name: String,
    state: String,
    title: Option<String>,
    summary: Html,
    text: Html,
    details: Option<String>,
    sha: String,
    annotations: Vec<Remark>,
}

/// What someone else's CI reported.
async fn check_run(
    visit: Visit,
    Path((owner, name, Number(id))): Path<(String, String, Number)>,
) -> Result<Page<CheckRunPage>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    let (run, annotations) = visit.app.show(|view| {
        let run = check_runs::by_id(view.conn, id)?;
        let run = run.filter(|run| run.repository_id == repository.id);
        Ok((run.ok_or(ApiError::NotFound)?, remarks(view, id)?))
    })?;
    if run.workflow_run_id.is_some() {
        return Err(PageError::Moved(address_of(&repository, &run)));
    }
    let home = home_of(&repository);
    let place = Place {
        home: &home,
        folder: &home,
    };
    let rendered =
        |text: &Option<String>| markdown::render(text.as_deref().unwrap_or_default(), place);
    Ok(Page(CheckRunPage {
        chrome: visit.chrome(format!("{} · {}", run.name, repository.full_name())),
        repo: visit.masthead(&repository, Tab::Actions)?,
        icon: progress_icon(run.progress),
        state: in_words(run.progress),
        summary: rendered(&run.summary),
        text: rendered(&run.text),
        details: run.details_url.filter(|url| is_web(url)),
        name: run.name,
        title: run.title,
        sha: run.head_sha,
        annotations,
    }))
}
