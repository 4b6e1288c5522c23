use axum::http::StatusCode;
use baton_host::git::Oid;
use rusqlite::Transaction;

use super::runs;
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::apps;
use crate::store::check_runs;
use crate::store::check_state::Progress;
use crate::store::check_suites::{self, NewCheckSuite};
use crate::store::events::{self, NewEvent};
use crate::store::repositories::Repository;
use crate::store::users::{User, UserKind};

/// What a suite is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Commit<'a> {
    pub(super) sha: &'a str,
    pub(super) branch: Option<&'a str>,
}

/// Checks are reported by apps, and an app is a bot here.
pub(super) fn reporting_bot(caller: &Caller) -> Result<&User> {
    let user = caller.user()?;
    if user.kind == UserKind::Bot {
        return Ok(user);
    }
    Err(ApiError::Refused {
        status: StatusCode::FORBIDDEN,
        message: "You must authenticate via a GitHub App.".to_owned(),
    })
}

pub(super) fn check_app(tx: &Transaction<'_>, app_id: i64, bot: &User) -> Result<()> {
    let app = apps::by_id(tx, app_id)?;
    if app.bot.is_some_and(|owner| owner.id == bot.id) {
        Ok(())
    } else {
        Err(runs::foreign_app(app_id))
    }
}

/// The one suite that a bot's app has for a commit, and whether it is new.
pub(super) fn for_bot(
    tx: &Transaction<'_>,
    repository: &Repository,
    bot: &User,
    commit: Commit<'_>,
    at: &str,
) -> Result<(i64, bool)> {
    let app_id = apps::for_bot(tx, bot, at)?;
    if let Some(suite) = check_suites::for_app(tx, repository.id, commit.sha, app_id)? {
        return Ok((suite.id, false));
    }
    let id = check_suites::create(
        tx,
        &NewCheckSuite {
            repository_id: repository.id,
            app_id,
            head_branch: commit.branch,
            head_sha: commit.sha,
            before_sha: None,
            at,
        },
    )?;
    record(tx, repository.id, Some(bot.id), id, "requested", at)?;
    Ok((id, true))
}

/// The branch that ends with the commit, if one does.
pub(super) async fn branch_of(
    app: &App,
    repository: &Repository,
    sha: &Oid,
) -> Result<Option<String>> {
    let branches = app.git(repository).refs(&["refs/heads"]).await?;
    let mut names = branches
        .iter()
        .filter(|branch| branch.oid == *sha)
        .filter_map(|branch| branch.name.strip_prefix("refs/heads/"));
    Ok(names.next().map(str::to_owned))
}

/// Lets a suite follow its check runs.
pub(super) fn follow(tx: &Transaction<'_>, id: i64, actor_id: Option<i64>, at: &str) -> Result<()> {
    let runs = check_runs::latest_of_suite(tx, id)?;
    match Progress::from_parts(runs.iter().map(|run| run.progress)) {
        Some(progress) => set_progress(tx, id, actor_id, progress, at),
        None => Ok(()),
    }
}

pub(crate) fn set_progress(
    tx: &Transaction<'_>,
    id: i64,
    actor_id: Option<i64>,
    progress: Progress,
    at: &str,
) -> Result<()> {
    let suite = check_suites::by_id(tx, id)?.ok_or(ApiError::NotFound)?;
    check_suites::set_progress(tx, id, progress, at)?;
    if progress.is_completed() && progress != suite.progress {
        record(tx, suite.repository_id, actor_id, id, "completed", at)?;
    }
    Ok(())
}

pub(crate) fn record(
    tx: &Transaction<'_>,
    repository_id: i64,
    actor_id: Option<i64>,
    id: i64,
    action: &str,
    at: &str,
) -> Result<()> {
    events::record(
        tx,
        &NewEvent {
            repository_id,
            actor_id,
            kind: "check_suite",
            action: Some(action),
            subject_id: Some(id),
            data: None,
            at,
        },
    )?;
    Ok(())
}
