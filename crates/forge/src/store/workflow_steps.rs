//! Steps of jobs.

use super::check_state::Progress;
use crate::store::prelude::*;

row! {
    /// One step of a job; it has a log of its own.
    Step by (_conn, row) {
        number: i64,
        name: String,
        progress: Progress = Progress::from_row(row)?,
        started_at: Option<String>,
        completed_at: Option<String>,
    }
}

sql! {
    /// Adds the step, or replaces what is known about it.
    run put(job_id: i64, step: &Step):
        "INSERT
         OR REPLACE INTO workflow_steps (job_id, number, name, status, conclusion, started_at,
         completed_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [job_id, step.number, step.name, step.progress.status(), step.progress.conclusion(),
         step.started_at, step.completed_at];
    all for_job(job_id: i64) -> Step:
        "SELECT * FROM workflow_steps WHERE job_id = ? ORDER BY number";

    /// A job that is executed again starts without the steps of its first try.
    run clear(job_id: i64): "DELETE FROM workflow_steps WHERE job_id = ?";
}
