//! Steps of jobs.

use rusqlite::{Connection, Transaction, params};

use super::check_state::Progress;
use crate::store::select::{Rows, Select as _, from_row};

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
pub(crate) fn put(tx: &Transaction<'_>, job_id: i64, step: &Step) -> rusqlite::Result<()> {
    tx.run(
        "INSERT OR REPLACE INTO workflow_steps
             (job_id, number, name, status, conclusion, started_at, completed_at)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        params![
            job_id,
            step.number,
            step.name,
            step.progress.status(),
            step.progress.conclusion(),
            step.started_at,
            step.completed_at,
        ],
    )
}

pub(crate) fn for_job(conn: &Connection, job_id: i64) -> Rows<Step> {
    conn.all(
        "SELECT * FROM workflow_steps WHERE job_id = ? ORDER BY number",
        [job_id],
    )
}

/// A job that is executed again starts without the steps of its first try.
pub(crate) fn clear(tx: &Transaction<'_>, job_id: i64) -> rusqlite::Result<()> {
    tx.run("DELETE FROM workflow_steps WHERE job_id = ?", [job_id])
}

from_row! {
    (_conn, row) => Step {
        number, name, started_at, completed_at;
        progress: Progress::from_row(row)?,
    }
}
