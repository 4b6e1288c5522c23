//! Approving the checks of a pull request from a fork.

use super::{jobs, refused, run_of, start};
use crate::actions::prelude::*;
use crate::runner::plan;
use crate::store::check_state::{Conclusion, Progress};

/// Lets the checks of someone else's pull request run.
pub(crate) async fn approve(cx: RepoContext<'_>, id: i64) -> Result<()> {
    cx.allowed(Permission::Write)?;
    let run = cx.app.read(|conn| run_of(conn, cx.repository, id))?;
    let jobs = plan::jobs_of(cx.app, cx.repository, &run.head_sha).await?;
    let repository = cx.repository.clone();
    cx.change(move |change| {
        let (tx, at) = (change.tx, change.at);
        let run = run_of(tx, &repository, id)?;
        let waiting = Progress::Completed(Conclusion::ActionRequired);
        if run.attempt.progress != waiting || jobs.is_empty() {
            return Err(refused(
                StatusCode::FORBIDDEN,
                "This run is not waiting for approval",
            ));
        }
        start::set_progress(tx, &run, Progress::QUEUED, at)?;
        for job in &jobs {
            jobs::add(tx, &run, job, at)?;
        }
        Ok(())
    })
    .await
}
