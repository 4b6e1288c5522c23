//! Merges that wait: for checks, reviews, deployments, or their turn.
//!
//! Whenever something happened in a repository, what waits there is looked at
//! again. Nothing has to be remembered: after a start, everything is looked at.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::merge::resume_merges;
use super::restack::restack_all;
use super::sync::sync_all;
use super::{auto_merge, queue};
use crate::actions::prelude::*;
use crate::store::{events, merge_queue, pulls};

/// How often to look at queues without an occasion: a check may never report.
const LOOK: Duration = Duration::from_secs(30);

/// Events read at a time.
const BATCH: usize = 500;

/// Until `stop`. Before anything else, what a crash cut off is completed.
pub(crate) async fn react(app: App, stop: CancellationToken) {
    let mut written = app.written();
    if let Err(error) = resume(&app).await {
        tracing::error!(?error, "pull requests may be behind their branches");
    }
    let mut seen = match app.rows(events::newest) {
        Ok(newest) => newest,
        Err(error) => {
            tracing::error!(?error, "no pull request will be merged by itself");
            return;
        }
    };
    Box::pin(look_at(&app, None)).await;
    loop {
        let everything = tokio::select! {
            () = stop.cancelled() => return,
            changed = written.changed() => {
                if changed.is_err() {
                    return;
                }
                false
            }
            () = tokio::time::sleep(LOOK) => true,
        };
        if everything {
            Box::pin(look_at(&app, None)).await;
            continue;
        }
        match affected(&app, &mut seen) {
            Ok(repositories) if repositories.is_empty() => {}
            Ok(repositories) => Box::pin(look_at(&app, Some(&repositories))).await,
            Err(error) => tracing::error!(?error, "the events could not be read"),
        }
    }
}

async fn resume(app: &App) -> Result<()> {
    resume_merges(app).await?;
    sync_all(app).await
}

/// The repositories in which something happened since the last look.
fn affected(app: &App, seen: &mut i64) -> Result<BTreeSet<i64>> {
    let mut repositories = BTreeSet::new();
    loop {
        let batch = app.rows(|conn| events::after(conn, *seen, BATCH))?;
        let Some(last) = batch.last() else {
            return Ok(repositories);
        };
        *seen = last.id;
        repositories.extend(batch.iter().map(|event| event.repository_id));
    }
}

async fn look_at(app: &App, only: Option<&BTreeSet<i64>>) {
    let waiting = app.read(|conn| {
        Ok((
            pulls::with_auto_merge(conn)?,
            merge_queue::busy_branches(conn)?,
        ))
    });
    let (pulls, queues) = match waiting {
        Ok(waiting) => waiting,
        Err(error) => {
            tracing::error!(?error, "waiting merges could not be found");
            return;
        }
    };
    Box::pin(restack_all(app, None)).await;
    let concerned = |id: i64| only.is_none_or(|only| only.contains(&id));
    for pull in pulls {
        if concerned(pull.issue.repository_id)
            && let Err(error) = auto_merge::attempt(app, &pull).await
        {
            // It may be a conflict that someone just made; the next event
            // brings it up again.
            tracing::info!(?error, pull = pull.number(), "not merged yet");
        }
    }
    for (repository_id, base_ref) in queues {
        if concerned(repository_id)
            && let Err(error) = Box::pin(queue::advance(app, repository_id, &base_ref)).await
        {
            tracing::warn!(?error, base_ref, "the merge queue stands still");
        }
    }
}
