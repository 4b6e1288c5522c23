//! From what happened to what has to run.

use baton_host::git::Oid;
use rusqlite::Transaction;

use super::checks_file::{self, ChecksFile, NamedOrder};
use super::trigger::{Meaning, Trigger, meaning_of};
use crate::actions::workflows::cancel;
use crate::actions::workflows::jobs::{self, NewJob};
use crate::actions::workflows::start::{self, Head, NewRun};
use crate::app::App;
use crate::error::ApiError;
use crate::store::check_annotations::{self, Annotation};
use crate::store::check_runs::{self, NewCheckRun};
use crate::store::check_state::{AnnotationLevel, Conclusion, Progress};
use crate::store::repositories::Repository;
use crate::store::runner_cursor;
use crate::store::workflows::{self, WorkflowState};

/// The workflow of a repository's check command has no file.
const COMMAND_PATH: &str = "dynamic/forge/check-command";

/// What jobs of the built-in runner ask for, and it has.
const LABEL: &str = "self-hosted";

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

/// What to do about an event.
enum Work {
    Start(Box<Plan>),
    Abandon { repository_id: i64, branch: String },
}

/// A run to be.
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
        let work = match app.read(|connection| meaning_of(connection, &event))? {
            Meaning::Check(trigger) => {
                let plan = plan_or_excuse(app, *trigger).await?;
                plan.map(|plan| Work::Start(Box::new(plan)))
            }
            Meaning::Abandon {
                repository_id,
                branch,
            } => Some(Work::Abandon {
                repository_id,
                branch,
            }),
            Meaning::Nothing => None,
        };
        let at = app.now();
        app.write(move |transaction| {
            if !runner_cursor::pass(transaction, event.id)? {
                return Ok(());
            }
            match &work {
                Some(Work::Start(plan)) => carry_out(transaction, plan, &at),
                Some(Work::Abandon {
                    repository_id,
                    branch,
                }) => cancel::cancel_abandoned(transaction, *repository_id, branch, &at),
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

/// Like [`plan`]. One repository that git cannot read must not keep all others
/// waiting: where it has a check command, the run says what is wrong.
async fn plan_or_excuse(app: &App, trigger: Trigger) -> Result<Option<Plan>, ApiError> {
    let excuse = trigger.clone();
    let error = match plan(app, trigger).await {
        Err(ApiError::Git(error)) => error,
        other => return other,
    };
    let repository = excuse.repository.full_name();
    tracing::error!(?error, repository, "a commit could not be read");
    Ok(excuse.repository.check_command.is_some().then(|| Plan {
        title: excuse.sha.to_string(),
        path: COMMAND_PATH,
        checks: Err(format!("The commit could not be read: {error}")),
        trigger: excuse,
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
        title: trigger
            .title
            .clone()
            .unwrap_or_else(|| commit.headline().to_owned()),
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
            report_mistake(transaction, run.suite_id, plan.path, mistake, at)?;
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
    path: &str,
    mistake: &str,
    at: &str,
) -> Result<(), ApiError> {
    let id = check_runs::create(
        transaction,
        &NewCheckRun {
            suite_id,
            name: path,
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
            path: path.to_owned(),
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
