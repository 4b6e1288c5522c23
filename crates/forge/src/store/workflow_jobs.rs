use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::check_state::Progress;

/// One job of a run. Its number is that of its check run.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) id: i64,
    pub(crate) run_id: i64,
    /// The attempt in which it was executed.
    pub(crate) attempt: i64,
    pub(crate) name: String,
    pub(crate) progress: Progress,
    pub(crate) labels: Vec<String>,
    pub(crate) runner_name: Option<String>,
    pub(crate) created_at: String,
    pub(crate) started_at: Option<String>,
    pub(crate) completed_at: Option<String>,
    pub(crate) order: Option<Order>,
}

/// What the built-in runner is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) command: String,
    pub(crate) time_limit: Duration,
    /// A test report in the working tree that is kept as an artifact.
    pub(crate) report_path: Option<String>,
}

pub(crate) struct NewJob<'a> {
    /// The check run that it is.
    pub(crate) id: i64,
    pub(crate) run_id: i64,
    pub(crate) attempt: i64,
    pub(crate) labels: &'a [String],
    pub(crate) runner_name: Option<&'a str>,
    pub(crate) order: Option<&'a Order>,
    pub(crate) at: &'a str,
}

const SELECT: &str = "SELECT workflow_jobs.*, name, status, conclusion, started_at, completed_at
    FROM workflow_jobs JOIN check_runs ON check_runs.id = workflow_jobs.id";

pub(crate) fn create(transaction: &Transaction<'_>, new: &NewJob<'_>) -> rusqlite::Result<()> {
    let seconds = new.order.map(|order| order.time_limit.as_secs());
    transaction
        .prepare_cached(
            "INSERT INTO workflow_jobs
             (id, run_id, attempt, labels, runner_name, command, time_limit, report_path, created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            new.id,
            new.run_id,
            new.attempt,
            serde_json::Value::from(new.labels).to_string(),
            new.runner_name,
            new.order.map(|order| order.command.as_str()),
            seconds,
            new.order.and_then(|order| order.report_path.as_deref()),
            new.at,
        ])
        .map(drop)
}

pub(crate) fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<Option<Job>> {
    connection
        .prepare_cached(&format!("{SELECT} WHERE workflow_jobs.id = ?"))?
        .query_row([id], from_row)
        .optional()
}

/// The jobs of a run as they stood in an attempt: of each name the newest,
/// which is one of an earlier attempt where only others were executed again.
pub(crate) fn of_attempt(
    connection: &Connection,
    run_id: i64,
    attempt: i64,
) -> rusqlite::Result<Vec<Job>> {
    connection
        .prepare_cached(&format!(
            "{SELECT} WHERE run_id = ?1 AND attempt <= ?2
               AND NOT EXISTS
                 (SELECT 1 FROM workflow_jobs AS newer JOIN check_runs AS check_run USING (id)
                  WHERE newer.run_id = ?1 AND newer.attempt <= ?2 AND newer.id > workflow_jobs.id
                    AND check_run.name = check_runs.name)
             ORDER BY workflow_jobs.id"
        ))?
        .query_map([run_id, attempt], from_row)?
        .collect()
}

/// All of them, those of earlier attempts, too.
pub(crate) fn of_run(connection: &Connection, run_id: i64) -> rusqlite::Result<Vec<Job>> {
    connection
        .prepare_cached(&format!(
            "{SELECT} WHERE run_id = ? ORDER BY workflow_jobs.id"
        ))?
        .query_map([run_id], from_row)?
        .collect()
}

pub(crate) fn set_runner(
    transaction: &Transaction<'_>,
    id: i64,
    runner_name: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE workflow_jobs SET runner_name = ? WHERE id = ?")?
        .execute(params![runner_name, id])
        .map(drop)
}

/// The job that has waited longest for the built-in runner.
pub(crate) fn next_for_runner(connection: &Connection) -> rusqlite::Result<Option<Job>> {
    connection
        .prepare_cached(&format!(
            "{SELECT} WHERE command IS NOT NULL AND status = 'queued'
             ORDER BY workflow_jobs.id LIMIT 1"
        ))?
        .query_row([], from_row)
        .optional()
}

/// Jobs that the built-in runner had begun and not ended when it was last here.
pub(crate) fn abandoned(connection: &Connection) -> rusqlite::Result<Vec<Job>> {
    connection
        .prepare_cached(&format!(
            "{SELECT} WHERE command IS NOT NULL AND status = 'in_progress'
             ORDER BY workflow_jobs.id"
        ))?
        .query_map([], from_row)?
        .collect()
}

/// Counts another begin and says how many there were.
pub(crate) fn count_begin(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached("UPDATE workflow_jobs SET begun = begun + 1 WHERE id = ? RETURNING begun")?
        .query_row([id], |row| row.get(0))
}

/// The forge was stopped in order, which is nothing against the job.
pub(crate) fn forget_begins(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE workflow_jobs SET begun = 0 WHERE id = ?")?
        .execute([id])
        .map(drop)
}

pub(crate) fn times_begun(connection: &Connection, id: i64) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT begun FROM workflow_jobs WHERE id = ?")?
        .query_row([id], |row| row.get(0))
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Job> {
    let labels: String = row.get("labels")?;
    let command: Option<String> = row.get("command")?;
    let seconds: Option<u64> = row.get("time_limit")?;
    let report_path = row.get("report_path")?;
    Ok(Job {
        id: row.get("id")?,
        run_id: row.get("run_id")?,
        attempt: row.get("attempt")?,
        name: row.get("name")?,
        progress: Progress::from_row(row)?,
        labels: serde_json::from_str(&labels).unwrap_or_default(),
        runner_name: row.get("runner_name")?,
        created_at: row.get("created_at")?,
        started_at: row.get("started_at")?,
        completed_at: row.get("completed_at")?,
        order: command.zip(seconds).map(|(command, seconds)| Order {
            command,
            time_limit: Duration::from_secs(seconds),
            report_path,
        }),
    })
}
