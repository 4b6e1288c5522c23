//! Jobs of workflow runs.

use std::time::Duration;

use super::check_state::Progress;
use crate::store::prelude::*;

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

pub(crate) fn create(tx: &Transaction<'_>, new: &NewJob<'_>) -> rusqlite::Result<()> {
    let seconds = new.order.map(|order| order.time_limit.as_secs());
    insert!(tx => workflow_jobs {
        id: new.id, run_id: new.run_id, attempt: new.attempt,
        labels: serde_json::Value::from(new.labels).to_string(), runner_name: new.runner_name,
        command: new.order.map(|order| order.command.as_str()), time_limit: seconds,
        report_path: new.order.and_then(|order| order.report_path.as_deref()),
        created_at: new.at,
    })
    .map(drop)
}

sql! {
    find by_id(id: i64) -> Job: &format!("{SELECT} WHERE workflow_jobs.id = ?");

    /// The jobs of a run as they stood in an attempt: of each name the newest,
    /// which is one of an earlier attempt where only others were executed again.
    all for_attempt(run_id: i64, attempt: i64) -> Job:
        &format!("{SELECT} WHERE run_id = ?1 AND attempt <= ?2 AND NOT EXISTS (SELECT 1
         FROM workflow_jobs AS newer JOIN check_runs AS check_run USING (id)
         WHERE newer.run_id = ?1 AND newer.attempt <= ?2 AND newer.id > workflow_jobs.id
         AND check_run.name = check_runs.name) ORDER BY workflow_jobs.id");

    /// All of them, those of earlier attempts, too.
    all for_run(run_id: i64) -> Job:
        &format!("{SELECT} WHERE run_id = ? ORDER BY workflow_jobs.id");
    run set_runner(id: i64, runner_name: &str):
        "UPDATE workflow_jobs SET runner_name = ?2 WHERE id = ?1";

    /// The job that has waited longest for the built-in runner.
    find next_for_runner() -> Job:
        &format!("{SELECT} WHERE command IS NOT NULL AND status = 'queued'
         ORDER BY workflow_jobs.id LIMIT 1");

    /// Jobs that the built-in runner had begun and not ended when it was last here.
    all abandoned() -> Job:
        &format!("{SELECT} WHERE command IS NOT NULL AND status = 'in_progress'
         ORDER BY workflow_jobs.id");
}

/// Counts another begin and says how many there were.
pub(crate) fn count_begin(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<i64> {
    tx.one(
        "UPDATE workflow_jobs SET begun = begun + 1 WHERE id = ? RETURNING begun",
        [id],
    )
}

sql! {
    /// The forge was stopped in order, which is nothing against the job.
    run forget_begins(id: i64): "UPDATE workflow_jobs SET begun = 0 WHERE id = ?";
    one times_begun(id: i64) -> i64: "SELECT begun FROM workflow_jobs WHERE id = ?";
}

impl FromRow for Job {
    fn from_row(_: &Connection, row: &Row<'_>) -> rusqlite::Result<Self> {
        let command: Option<String> = row.get("command")?;
        let seconds: Option<u64> = row.get("time_limit")?;
        let report_path = row.get("report_path")?;
        columns!(row => Job {
            id, run_id, attempt, name, runner_name, created_at, started_at, completed_at;
            progress: Progress::from_row(row)?,
            labels: json_column(row, "labels")?.unwrap_or_default(),
            order: command.zip(seconds).map(|(command, seconds)| Order {
                command,
                time_limit: Duration::from_secs(seconds),
                report_path,
            }),
        })
    }
}
