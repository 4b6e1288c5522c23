//! Notices refs that changed without the forge: in a folder that someone
//! pushed to directly, or in a push whose aftermath a crash cut off.

use std::collections::HashMap;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::actions::{pushes, repositories as actions};
use crate::app::App;
use crate::error::{ApiError, Result};
use crate::store::repositories::{self, Repository};

/// Between two looks at folders that others may write to. A look costs some
/// hundred file accesses, and people wait about that long for a page.
const INTERVAL: Duration = Duration::from_millis(250);

/// Until `stop`.
pub(crate) async fn run(app: App, stop: CancellationToken) {
    let mut seen = HashMap::new();
    let mut is_first = true;
    loop {
        if let Err(error) = look(&app, &mut seen, is_first).await {
            tracing::error!(?error, "repositories could not be looked at");
        }
        is_first = false;
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
}

/// The first look is at all repositories, the others only at those that lie
/// outside the data folder.
async fn look(app: &App, seen: &mut HashMap<i64, u64>, is_first: bool) -> Result<()> {
    let all = app.rows(repositories::all)?;
    for repository in all {
        if !is_first && repository.path.is_none() {
            continue;
        }
        if is_first && let Err(error) = actions::repair(app, &repository).await {
            tracing::error!(?error, repository = %repository.full_name(), "cannot make it again");
            continue;
        }
        let fingerprint = fingerprint(app, &repository).await?;
        if seen.insert(repository.id, fingerprint) == Some(fingerprint) {
            continue;
        }
        if let Err(error) = pushes::notice(app, &repository, None).await {
            // The folder may be gone for a while; the others are not.
            tracing::warn!(?error, repository = %repository.full_name(), "cannot look at refs");
        }
    }
    Ok(())
}

async fn fingerprint(app: &App, repository: &Repository) -> Result<u64> {
    let git = app.git(repository);
    tokio::task::spawn_blocking(move || git.fingerprint())
        .await
        .map_err(|_| ApiError::internal("the file thread ended early"))
}
