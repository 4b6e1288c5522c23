//! Workflow runs and their attempts.

use super::check_state::Progress;
use super::users::{self, User};
use crate::store::prelude::*;

row! {
    /// One run of a workflow, as one of its attempts left it.
    WorkflowRun by (conn, row) {
        id: i64,
        workflow_id: i64,
        suite_id: i64,
        /// The repository, the branch and the commit are those of the suite.
        repository_id: i64,
        head_branch: Option<String>,
        head_sha: String,
        number: i64,
        display_title: String,
        event: String,
        /// Where the commit was pushed to: a fork, for some pull requests.
        head_repository_id: Option<i64>,
        actor: Option<User> = users::in_column(conn, row, "actor_id")?,
        built_in: bool,
        latest_attempt: i64,
        cancel_requested: bool,
        created_at: String,
        attempt: Attempt = Attempt {
                number: row.get("attempt_number")?,
                triggering_actor: users::in_column(conn, row, "triggering_actor_id")?,
                progress: Progress::from_row(row)?,
                started_at: row.get("started_at")?,
                updated_at: row.get("updated_at")?,
            },
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    pub(crate) number: i64,
    pub(crate) triggering_actor: Option<User>,
    pub(crate) progress: Progress,
    pub(crate) started_at: String,
    pub(crate) updated_at: String,
}

pub(crate) struct NewWorkflowRun<'a> {
    pub(crate) workflow_id: i64,
    pub(crate) suite_id: i64,
    pub(crate) display_title: &'a str,
    pub(crate) event: &'a str,
    pub(crate) head_repository_id: i64,
    pub(crate) actor_id: Option<i64>,
    pub(crate) built_in: bool,
    pub(crate) at: &'a str,
}

/// Which runs of a repository.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RunFilter<'a> {
    pub(crate) workflow_id: Option<i64>,
    pub(crate) suite_id: Option<i64>,
    pub(crate) branch: Option<&'a str>,
    pub(crate) event: Option<&'a str>,
    pub(crate) head_sha: Option<&'a str>,
    pub(crate) actor: Option<&'a str>,
    /// A status or a conclusion.
    pub(crate) state: Option<&'a str>,
    /// Created then or later, and then or earlier.
    pub(crate) created_from: Option<&'a str>,
    pub(crate) created_to: Option<&'a str>,
    /// Only those that have not ended.
    pub(crate) unfinished: bool,
}

/// What a [`RunFilter`] asks for, after the repository.
const CHOSEN: &str = "check_suites.repository_id = ?1 AND attempt.number = latest_attempt
    AND (?2 IS NULL OR workflow_id = ?2)
    AND (?3 IS NULL OR suite_id = ?3)
    AND (?4 IS NULL OR head_branch = ?4)
    AND (?5 IS NULL OR event = ?5)
    AND (?6 IS NULL OR head_sha = ?6)
    AND (?7 IS NULL OR actor_id = (SELECT id FROM users WHERE login = ?7))
    AND (?8 IS NULL OR attempt.status = ?8 OR attempt.conclusion = ?8)
    AND (?9 IS NULL OR workflow_runs.created_at >= ?9)
    AND (?10 IS NULL OR workflow_runs.created_at <= ?10)
    AND (NOT ?11 OR attempt.status <> 'completed')";

const SELECT: &str = "SELECT workflow_runs.*, check_suites.repository_id, head_branch, head_sha,
    attempt.number AS attempt_number, attempt.triggering_actor_id, attempt.status,
    attempt.conclusion, attempt.started_at, attempt.updated_at
    FROM workflow_runs
    JOIN check_suites ON check_suites.id = suite_id
    JOIN workflow_run_attempts AS attempt ON attempt.run_id = workflow_runs.id";

/// Its first attempt is queued.
pub(crate) fn create(tx: &Transaction<'_>, new: &NewWorkflowRun<'_>) -> rusqlite::Result<i64> {
    let id = tx.add("INSERT INTO workflow_runs
             (workflow_id, suite_id, number, display_title, event, head_repository_id, actor_id,
              built_in, created_at)
             VALUES (?1, ?2,
                     (SELECT coalesce(max(number), 0) + 1 FROM workflow_runs WHERE workflow_id = ?1),
                     ?3, ?4, ?5, ?6, ?7, ?8)", params![
            new.workflow_id,
            new.suite_id,
            new.display_title,
            new.event,
            new.head_repository_id,
            new.actor_id,
            new.built_in,
            new.at,
        ])?;
    add_attempt(tx, id, 1, new.actor_id, new.at)?;
    Ok(id)
}

/// The next attempt, queued. Anyone who wanted the last one to end does not want
/// this one to.
pub(crate) fn start_attempt(
    tx: &Transaction<'_>,
    id: i64,
    actor_id: Option<i64>,
    at: &str,
) -> rusqlite::Result<i64> {
    let number: i64 = tx.one(
        "UPDATE workflow_runs SET latest_attempt = latest_attempt + 1, cancel_requested = 0,
             logs_deleted = 0 WHERE id = ? RETURNING latest_attempt",
        [id],
    )?;
    add_attempt(tx, id, number, actor_id, at)?;
    Ok(number)
}

fn add_attempt(
    tx: &Transaction<'_>,
    run_id: i64,
    number: i64,
    actor_id: Option<i64>,
    at: &str,
) -> rusqlite::Result<()> {
    insert!(tx => workflow_run_attempts {
        run_id, number, triggering_actor_id: actor_id, status: Progress::QUEUED.status(),
        started_at: at, updated_at: at,
    })
    .map(drop)
}

sql! {
    /// As its latest attempt left it.
    find by_id(id: i64) -> WorkflowRun:
        &format!("{SELECT} WHERE workflow_runs.id = ? AND attempt.number = latest_attempt");
    find by_attempt(id: i64, attempt: i64) -> WorkflowRun:
        &format!("{SELECT} WHERE workflow_runs.id = ? AND attempt.number = ?");
    find for_suite(suite_id: i64) -> WorkflowRun:
        &format!("{SELECT} WHERE suite_id = ? AND attempt.number = latest_attempt");

    /// Newest first: as many as `limit` behind the first `offset`.
    all for_repository(
        repository_id: i64,
        filter: &RunFilter<'_>,
        limit: usize,
        offset: usize,
    ) -> WorkflowRun:
        &format!("{SELECT} WHERE {CHOSEN} ORDER BY workflow_runs.id DESC LIMIT ?12 OFFSET ?13"),
        [repository_id, filter.workflow_id, filter.suite_id, filter.branch, filter.event,
         filter.head_sha, filter.actor, filter.state, filter.created_from, filter.created_to,
         filter.unfinished, limit, offset];

    /// How many [`for_repository`] would give without a limit.
    one count(repository_id: i64, filter: &RunFilter<'_>) -> usize:
        &format!("SELECT count(*) FROM ({SELECT} WHERE {CHOSEN})"),
        [repository_id, filter.workflow_id, filter.suite_id, filter.branch, filter.event,
         filter.head_sha, filter.actor, filter.state, filter.created_from, filter.created_to,
         filter.unfinished];

    /// Of its latest attempt.
    run set_progress(id: i64, progress: Progress, at: &str):
        "UPDATE workflow_run_attempts SET status = ?1, conclusion = ?2, updated_at = ?3
         WHERE run_id = ?4 AND number = (SELECT latest_attempt FROM workflow_runs WHERE id = ?4)",
        [progress.status(), progress.conclusion(), at, id];
    run request_cancel(id: i64): "UPDATE workflow_runs SET cancel_requested = 1 WHERE id = ?";
}
