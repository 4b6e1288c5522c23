use axum::http::StatusCode;

use super::{jobs, refused, run_of, start};
use crate::app::App;
use crate::auth::Caller;
use crate::error::Result;
use crate::runner::plan;
use crate::store::check_state::{Conclusion, Progress};
use crate::store::repositories::{Permission, Repository};

/// Lets the checks of someone else's pull request run.
pub(crate) async fn approve(
    app: &App,
    caller: &Caller,
    repository: Repository,
    id: i64,
) -> Result<()> {
    let run = app.read(|conn| {
        caller.check(conn, &repository, Permission::Write)?;
        run_of(conn, &repository, id)
    })?;
    let jobs = plan::jobs_of(app, &repository, &run.head_sha).await?;
    let at = app.now();
    app.write(move |tx| {
        let run = run_of(tx, &repository, id)?;
        let waiting = Progress::Completed(Conclusion::ActionRequired);
        if run.attempt.progress != waiting || jobs.is_empty() {
            return Err(refused(
                StatusCode::FORBIDDEN,
                "This run is not waiting for approval",
            ));
        }
        start::set_progress(tx, &run, Progress::QUEUED, &at)?;
        for job in &jobs {
            jobs::add(tx, &run, job, &at)?;
        }
        Ok(())
    })
    .await
}
