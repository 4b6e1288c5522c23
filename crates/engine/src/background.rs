//! What an engine does beside driving runs: it gives signs of life, and looks
//! for what other processes have written.

use std::sync::Weak;
use std::time::Duration;

use crate::shared::Shared;

/// Signs of life per lease: two may get lost.
const SIGNS_PER_LEASE: u32 = 3;

/// Between two looks for what other processes have written.
const LOOK_FOR_CHANGES: Duration = Duration::from_millis(200);

pub(crate) async fn give_signs_of_life(shared: Weak<Shared>) {
    loop {
        let pause = match shared.upgrade() {
            Some(shared) => shared.options.lease / SIGNS_PER_LEASE,
            None => return,
        };
        tokio::time::sleep(pause).await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        let lease = shared.lease();
        let renewed = shared
            .journal
            .change(move |journal| journal.renew(&lease.borrowed()));
        if let Err(error) = renewed.await {
            tracing::warn!(%error, "a sign of life could not be given");
        }
    }
}

pub(crate) async fn look_for_changes(shared: Weak<Shared>) {
    let mut seen = None;
    loop {
        tokio::time::sleep(LOOK_FOR_CHANGES).await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        // A database that cannot be read now is looked at again.
        let Ok(version) = shared.journal.version().await else {
            continue;
        };
        if seen.replace(version) == Some(version) {
            continue;
        }
        shared.changed();
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method by its name is for one lifetime only"
        )]
        let waiting = shared.journal.view(|journal| journal.runs_with_messages());
        for name in waiting.await.unwrap_or_default() {
            if let Ok(run) = name.parse() {
                shared.wake(&run);
            }
        }
    }
}
