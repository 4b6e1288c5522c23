//! From what happened to what has to run.

use baton_host::git::Oid;
use rusqlite::Transaction;

use super::checks_file::{self, ChecksFile, NamedOrder};
use super::notes;
use super::trigger::{Meaning, Trigger, meaning_of};
use crate::actions::workflows::cancel;
use crate::actions::workflows::jobs::{self, NewJob};
use crate::actions::workflows::start::{self, Head, NewRun};
use crate::app::App;
use crate::error::{ApiError, Result};
use crate::store::check_state::{Conclusion, Progress};
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
    checks: Checks,
}

/// What a commit is checked with.
struct Checks {
    /// Of the workflow.
    path: &'static str,
    jobs: Jobs,
    /// Whether the commit has a checks file that is not executed.
    ignores_file: bool,
}

enum Jobs {
    Queue(ChecksFile),
    /// What is wrong with the file.
    Mistake(String),
    /// There is only a file, which is not executed.
    SwitchedOff,
}

/// Makes runs of all that happened since the last time. Anyone who calls it, and
/// how many at a time: each event starts at most one run.
pub(crate) async fn catch_up(app: &App) -> Result<()> {
    while let Some(event) = app.rows(runner_cursor::next)? {
        let work = match app.read(|conn| meaning_of(conn, &event))? {
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
        app.write(move |tx| {
            if !runner_cursor::pass(tx, event.id)? {
                return Ok(());
            }
            match &work {
                Some(Work::Start(plan)) => carry_out(tx, plan, &at),
                Some(Work::Abandon {
                    repository_id,
                    branch,
                }) => cancel::cancel_abandoned(tx, *repository_id, branch, &at),
                None => Ok(()),
            }
        })
        .await?;
    }
    Ok(())
}

/// Starts the checks of a commit at once. False where its workflow at `path` is
/// not one of the runner's.
pub(crate) async fn start_now(app: &App, trigger: Trigger, path: &str) -> Result<bool> {
    let plan = plan(app, trigger).await?;
    let Some(plan) = plan.filter(|plan| plan.checks.path == path) else {
        return Ok(false);
    };
    let at = app.now();
    app.write(move |tx| carry_out(tx, &plan, &at)).await?;
    Ok(true)
}

/// The jobs that a commit asks for; none where it has no checks, or a file
/// that cannot be read.
pub(crate) async fn jobs_of(app: &App, repository: &Repository, sha: &str) -> Result<Vec<NewJob>> {
    let Some(sha) = Oid::parse(sha) else {
        return Ok(Vec::new());
    };
    let found = checks_of(app, repository, &sha).await?;
    Ok(match found.map(|checks| checks.jobs) {
        Some(Jobs::Queue(file)) => new_jobs(&file),
        Some(Jobs::Mistake(_) | Jobs::SwitchedOff) | None => Vec::new(),
    })
}

/// Like [`plan`]. One repository that git cannot read must not keep all others
/// waiting: where it has a check command, the run says what is wrong.
async fn plan_or_excuse(app: &App, trigger: Trigger) -> Result<Option<Plan>> {
    let excuse = trigger.clone();
    let error = match plan(app, trigger).await {
        Err(ApiError::Git(error)) => error,
        other => return other,
    };
    let repository = excuse.repository.full_name();
    tracing::error!(?error, repository, "a commit could not be read");
    Ok(excuse.repository.check_command.is_some().then(|| Plan {
        title: excuse.sha.to_string(),
        checks: Checks {
            path: COMMAND_PATH,
            jobs: Jobs::Mistake(format!("The commit could not be read: {error}")),
            ignores_file: false,
        },
        trigger: excuse,
    }))
}

/// Nothing where the repository asks for no checks, or the commit for none.
async fn plan(app: &App, trigger: Trigger) -> Result<Option<Plan>> {
    let git = app.git(&trigger.repository);
    let Some(commit) = git.commit(&trigger.sha).await? else {
        return Ok(None);
    };
    if SKIP_WORDS.iter().any(|word| commit.message.contains(word)) {
        return Ok(None);
    }
    let Some(checks) = checks_of(app, &trigger.repository, &trigger.sha).await? else {
        return Ok(None);
    };
    Ok(Some(Plan {
        title: trigger
            .title
            .clone()
            .unwrap_or_else(|| commit.headline().to_owned()),
        trigger,
        checks,
    }))
}

/// The commands of a pushed file are executed only where an administrator of
/// the forge wants that; the administrator's own command always is.
async fn checks_of(app: &App, repository: &Repository, sha: &Oid) -> Result<Option<Checks>> {
    let most = app.settings().runner.time_limit;
    let file = app.git(repository).file(sha, checks_file::PATH).await?;
    let ignores_file = file.is_some() && !repository.pushed_checks;
    let (path, jobs) = match (&file, &repository.check_command) {
        (Some(bytes), _) if repository.pushed_checks => {
            let jobs = match checks_file::parse(bytes, most) {
                Ok(file) => Jobs::Queue(file),
                Err(error) => Jobs::Mistake(error.to_string()),
            };
            (checks_file::PATH, jobs)
        }
        (_, Some(command)) => {
            let file = checks_file::from_command(command, most);
            (COMMAND_PATH, Jobs::Queue(file))
        }
        (Some(_), None) => (checks_file::PATH, Jobs::SwitchedOff),
        (None, None) => return Ok(None),
    };
    Ok(Some(Checks {
        path,
        jobs,
        ignores_file,
    }))
}

fn carry_out(tx: &Transaction<'_>, plan: &Plan, at: &str) -> Result<()> {
    let (trigger, checks) = (&plan.trigger, &plan.checks);
    let name = match &checks.jobs {
        Jobs::Queue(file) => file.name.as_str(),
        Jobs::Mistake(_) | Jobs::SwitchedOff => checks.path,
    };
    let workflow = workflows::at_path(tx, trigger.repository.id, checks.path, name, at)?;
    if workflow.state != WorkflowState::Active {
        return Ok(());
    }
    let run = start::start(
        tx,
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
        cancel::cancel_superseded(tx, &run, at)?;
    }
    let end = |conclusion| start::set_progress(tx, &run, Progress::Completed(conclusion), at);
    if checks.ignores_file {
        notes::switched_off(tx, run.suite_id, &trigger.repository, at)?;
    }
    match &checks.jobs {
        Jobs::Mistake(mistake) => {
            notes::mistake(tx, run.suite_id, checks.path, mistake, at)?;
            end(Conclusion::StartupFailure)
        }
        Jobs::SwitchedOff => end(Conclusion::Skipped),
        Jobs::Queue(_) if !trigger.trusted => end(Conclusion::ActionRequired),
        Jobs::Queue(file) => {
            for job in new_jobs(file) {
                jobs::add(tx, &run, &job, at)?;
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
