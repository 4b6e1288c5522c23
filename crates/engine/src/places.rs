//! How many steps of a kind are under way at once, in all processes together.

use std::time::Duration;

use baton_workflow::{Key, Step};

use crate::engine::Concurrency;
use crate::error::EngineError;
use crate::shared::Shared;

/// Between two looks for a place that another process may have left.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// A kind of place and how many of it there are; `None` where nobody counts.
pub(crate) fn kind(step: Step, limits: &Concurrency) -> Option<(&'static str, usize)> {
    match step {
        Step::Implement | Step::Fix => Some(("implementation", limits.implementations)),
        Step::Review => Some(("review", limits.reviews)),
        Step::Issue
        | Step::Prepare
        | Step::Publish
        | Step::Validate
        | Step::Merge
        | Step::Close
        | Step::CleanUp => None,
    }
}

/// Waits for a place. May be dropped at any time; a place that was taken
/// meanwhile is kept for the same key.
pub(crate) async fn occupy(
    shared: &Shared,
    kind: &'static str,
    limit: usize,
    key: &Key,
) -> Result<(), EngineError> {
    loop {
        let vacated = shared.vacated.notified();
        let holder = key.clone();
        let lease = shared.lease();
        let owners = shared.owners.clone();
        let taken = shared.journal.change(move |journal| {
            let is_dead = |owner: &str| crate::owner::is_dead(&owners, owner);
            journal.occupy(kind, holder.as_str(), limit, &lease.borrowed(), &is_dead)
        });
        if taken.await? {
            return Ok(());
        }
        let _ = tokio::time::timeout(LOOK_AGAIN, vacated).await;
    }
}
