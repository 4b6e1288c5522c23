use rusqlite::{Connection, Row, Transaction, params};

use super::check_state::Progress;

/// One step of a job; it has a log of its own.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) number: i64,
    pub(crate) name: String,
    pub(crate) progress: Progress,
    pub(crate) started_at: Option<String>,
    pub(crate) completed_at: Option<String>,
}

/// Adds the step, or replaces what is known about it.
pub(crate) fn put(transaction: &Transaction<'_>, job_id: i64, step: &Step) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO workflow_steps
             (job_id, number, name, status, conclusion, started_at, completed_at)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            job_id,
            step.number,
            step.name,
            step.progress.status(),
            step.progress.conclusion(),
            step.started_at,
            step.completed_at,
        ])
        .map(drop)
}

pub(crate) fn of_job(connection: &Connection, job_id: i64) -> rusqlite::Result<Vec<Step>> {
    connection
        .prepare_cached("SELECT * FROM workflow_steps WHERE job_id = ? ORDER BY number")?
        .query_map([job_id], from_row)?
        .collect()
}

/// A job that is executed again starts without the steps of its first try.
pub(crate) fn clear(transaction: &Transaction<'_>, job_id: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM workflow_steps WHERE job_id = ?")?
        .execute([job_id])
        .map(drop)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Step> {
    Ok(Step {
        number: row.get("number")?,
        name: row.get("name")?,
        progress: Progress::from_row(row)?,
        started_at: row.get("started_at")?,
        completed_at: row.get("completed_at")?,
    })
}
