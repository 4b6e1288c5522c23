//! From what happened to what has to run.

use baton_host::git::Oid;
use rusqlite::Transaction;

use super::checks_file::{self, ChecksFile, NamedOrder};
use crate::actions::workflows::cancel;
use crate::actions::workflows::jobs::{self, NewJob};
use crate::actions::workflows::start::{self, Head, NewRun};
use crate::app::App;
use crate::error::ApiError;
use crate::store::check_annotations::{self, Annotation};
use crate::store::check_runs::{self, NewCheckRun};
use crate::store::check_state::{AnnotationLevel, Conclusion, Progress};
use crate::store::events::Event;
use crate::store::repositories::{self, Repository};
use crate::store::runner_cursor;
use crate::store::workflows::{self, WorkflowState};

/// The workflow of a repository's check command has no file.
const COMMAND_PATH: &str = "dynamic/forge/check-command";

/// What jobs of the built-in runner ask for, and it has.
const LABEL: &str = "self-hosted";

/// Branches of merge queues, as GitHub names them.
const QUEUE_PREFIX: &str = "gh-readonly-queue/";

/// Runs of these events are pointless once there is a newer commit.
const SUPERSEDING: &[&str] = &["push", "pull_request"];

/// In a commit message, any of these keeps the runner from it.
const SKIP_WORDS: &[&str] = &[
    "[skip ci]",
    "[ci skip]",
    "[no ci]",
    "[skip actions]",
    "[actions skip]",
];

/// A commit that something happened to.
#[derive(Debug, Clone)]
pub(crate) struct Trigger {
    pub(crate) repository: Repository,
    pub(crate) event: &'static str,
    pub(crate) sha: Oid,
    pub(crate) branch: String,
    pub(crate) before: Option<String>,
    pub(crate) head_repository_id: i64,
    pub(crate) actor_id: Option<i64>,
    /// Whether whoever made the commit may have commands executed.
    pub(crate) trusted: bool,
}

/// What to do about it.
struct Plan {
    trigger: Trigger,
    title: String,
    path: &'static str,
    checks: Result<ChecksFile, String>,
}

/// Makes runs of all that happened since the last time. Whoever calls it, and
/// how many at a time: each event starts at most one run.
pub(crate) async fn catch_up(app: &App) -> Result<(), ApiError> {
    while let Some(event) = app.read(|connection| Ok(runner_cursor::next(connection)?))? {
        let plan = match trigger_of(app, &event)? {
            Some(trigger) => plan(app, trigger).await?,
            None => None,
        };
        let at = app.now();
        app.write(move |transaction| {
            if !runner_cursor::pass(transaction, event.id)? {
                return Ok(());
            }
            match plan {
                Some(plan) => carry_out(transaction, &plan, &at),
                None => Ok(()),
            }
        })
        .await?;
    }
    Ok(())
}

/// Makes a run of the workflow at `path` at once; false where the commit has
/// no such workflow.
pub(crate) async fn start_now(app: &App, trigger: Trigger, path: &str) -> Result<bool, ApiError> {
    let Some(plan) = plan(app, trigger).await?.filter(|plan| plan.path == path) else {
        return Ok(false);
    };
    let at = app.now();
    app.write(move |transaction| carry_out(transaction, &plan, &at))
        .await?;
    Ok(true)
}

/// The jobs that a commit asks for; none where it has no checks, or a file
/// that cannot be read.
pub(crate) async fn jobs_of(
    app: &App,
    repository: &Repository,
    sha: &str,
) -> Result<Vec<NewJob>, ApiError> {
    let Some(sha) = Oid::parse(sha) else {
        return Ok(Vec::new());
    };
    let found = checks_of(app, repository, &sha).await?;
    Ok(match found {
        Some((_, Ok(checks))) => new_jobs(&checks),
        Some((_, Err(_))) | None => Vec::new(),
    })
}

/// What an event asks for. Nothing that can be made sense of stops the line.
fn trigger_of(app: &App, event: &Event) -> Result<Option<Trigger>, ApiError> {
    let Some(data) = event.data.as_ref().filter(|_| event.kind == "push") else {
        return Ok(None);
    };
    let text = |key: &str| data.get(key).and_then(|value| value.as_str());
    let branch = text("ref").and_then(|name| name.strip_prefix("refs/heads/"));
    let after = text("after").and_then(Oid::parse);
    let deleted = data["deleted"].as_bool().unwrap_or(false);
    let (Some(branch), Some(sha), false) = (branch, after, deleted) else {
        return Ok(None);
    };
    let repository =
        app.read(|connection| Ok(repositories::by_id(connection, event.repository_id)?))?;
    // As at GitHub, a fork checks nothing of its own until somebody wants it.
    if repository.fork_of.is_some() && repository.check_command.is_none() {
        return Ok(None);
    }
    Ok(Some(Trigger {
        event: if branch.starts_with(QUEUE_PREFIX) {
            "merge_group"
        } else {
            "push"
        },
        sha,
        branch: branch.to_owned(),
        before: text("before").map(str::to_owned),
        head_repository_id: repository.id,
        actor_id: event.actor_id,
        trusted: true,
        repository,
    }))
}

/// Nothing where the repository asks for no checks, or the commit for none.
async fn plan(app: &App, trigger: Trigger) -> Result<Option<Plan>, ApiError> {
    let git = app.git(&trigger.repository);
    let Some(commit) = git.commit(&trigger.sha).await? else {
        return Ok(None);
    };
    if SKIP_WORDS.iter().any(|word| commit.message.contains(word)) {
        return Ok(None);
    }
    let Some((path, checks)) = checks_of(app, &trigger.repository, &trigger.sha).await? else {
        return Ok(None);
    };
    Ok(Some(Plan {
        title: commit.headline().to_owned(),
        trigger,
        path,
        checks,
    }))
}

/// The path of the workflow, and its checks or what is wrong with its file.
async fn checks_of(
    app: &App,
    repository: &Repository,
    sha: &Oid,
) -> Result<Option<(&'static str, Result<ChecksFile, String>)>, ApiError> {
    let most = app.settings().runner.time_limit;
    let file = app.git(repository).file(sha, checks_file::PATH).await?;
    Ok(match (&file, &repository.check_command) {
        (Some(bytes), _) => {
            let checks = checks_file::parse(bytes, most).map_err(|error| error.to_string());
            Some((checks_file::PATH, checks))
        }
        (None, Some(command)) => Some((COMMAND_PATH, Ok(checks_file::of_command(command, most)))),
        (None, None) => None,
    })
}

fn carry_out(transaction: &Transaction<'_>, plan: &Plan, at: &str) -> Result<(), ApiError> {
    let trigger = &plan.trigger;
    let name = match &plan.checks {
        Ok(checks) => checks.name.as_str(),
        Err(_) => plan.path,
    };
    let workflow = workflows::at_path(transaction, trigger.repository.id, plan.path, name, at)?;
    if workflow.state != WorkflowState::Active {
        return Ok(());
    }
    let run = start::start(
        transaction,
        &NewRun {
            repository: &trigger.repository,
            workflow_id: workflow.id,
            head: Head {
                repository_id: trigger.head_repository_id,
                sha: trigger.sha.as_str(),
                branch: Some(&trigger.branch),
                before: trigger.before.as_deref(),
            },
            event: trigger.event,
            display_title: &plan.title,
            actor_id: trigger.actor_id,
            built_in: true,
        },
        at,
    )?;
    if SUPERSEDING.contains(&trigger.event) {
        cancel::cancel_superseded(transaction, &run, at)?;
    }
    let end =
        |conclusion| start::set_progress(transaction, &run, Progress::Completed(conclusion), at);
    match &plan.checks {
        Err(mistake) => {
            report_mistake(transaction, run.suite_id, mistake, at)?;
            end(Conclusion::StartupFailure)
        }
        Ok(_) if !trigger.trusted => end(Conclusion::ActionRequired),
        Ok(checks) => {
            for job in new_jobs(checks) {
                jobs::add(transaction, &run, &job, at)?;
            }
            Ok(())
        }
    }
}

fn new_jobs(checks: &ChecksFile) -> Vec<NewJob> {
    let new = |job: &NamedOrder| NewJob {
        name: job.name.clone(),
        labels: vec![LABEL.to_owned()],
        runner_name: None,
        order: Some(job.order.clone()),
    };
    checks.jobs.iter().map(new).collect()
}

/// A file that cannot be read checks nothing, and that must not look like a
/// commit without checks.
fn report_mistake(
    transaction: &Transaction<'_>,
    suite_id: i64,
    mistake: &str,
    at: &str,
) -> Result<(), ApiError> {
    let id = check_runs::create(
        transaction,
        &NewCheckRun {
            suite_id,
            name: checks_file::PATH,
            external_id: "",
            details_url: None,
            progress: Progress::Completed(Conclusion::Failure),
            started_at: Some(at),
            completed_at: Some(at),
        },
    )?;
    let mut run = check_runs::by_id(transaction, id)?.ok_or(ApiError::NotFound)?;
    run.title = Some("Invalid workflow file".to_owned());
    run.summary = Some(mistake.to_owned());
    check_runs::update(transaction, &run)?;
    check_annotations::add(
        transaction,
        id,
        &Annotation {
            path: checks_file::PATH.to_owned(),
            start_line: 1,
            end_line: 1,
            start_column: None,
            end_column: None,
            level: AnnotationLevel::Failure,
            title: Some("Invalid workflow file".to_owned()),
            message: mistake.to_owned(),
            raw_details: None,
        },
    )?;
    Ok(())
}
