//! Check suites, which follow their check runs.

use super::runs;
use crate::actions::prelude::*;
use crate::store::check_state::Progress;
use crate::store::check_suites::{self, NewCheckSuite};
use crate::store::users::UserKind;
use crate::store::{apps, check_runs};

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

/// The one suite that a bot's app has for a commit.
pub(super) fn for_bot(
    change: Change<'_>,
    bot: &User,
    head_sha: &str,
    head_branch: Option<&str>,
) -> Result<i64> {
    let (tx, repository_id, at) = (change.tx, change.repository_id, change.at);
    let app_id = apps::for_bot(tx, bot, at)?;
    if let Some(suite) = check_suites::for_app(tx, repository_id, head_sha, app_id)? {
        return Ok(suite.id);
    }
    let new = NewCheckSuite {
        repository_id,
        app_id,
        head_branch,
        head_sha,
        before_sha: None,
        at,
    };
    let id = check_suites::create(tx, &new)?;
    change.event("check_suite", "requested", id, None)?;
    Ok(id)
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
pub(super) fn follow(change: Change<'_>, id: i64) -> Result<()> {
    let runs = check_runs::latest_of_suite(change.tx, id)?;
    match Progress::from_parts(runs.iter().map(|run| run.progress)) {
        Some(progress) => set_progress(change, id, progress),
        None => Ok(()),
    }
}

pub(crate) fn set_progress(change: Change<'_>, id: i64, progress: Progress) -> Result<()> {
    let suite = check_suites::by_id(change.tx, id)?.ok_or(ApiError::NotFound)?;
    check_suites::set_progress(change.tx, id, progress, change.at)?;
    if progress.is_completed() && progress != suite.progress {
        change.event("check_suite", "completed", id, None)?;
    }
    Ok(())
}
