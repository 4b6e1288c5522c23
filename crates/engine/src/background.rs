//! Background work of an engine: it renews its leases, and checks for writes of
//! other processes.

use std::sync::Weak;
use std::time::Duration;

use crate::hub::Hub;

/// Renewals per lease: two may get lost.
const SIGNS_PER_LEASE: u32 = 3;

/// Between two checks for writes of other processes.
const LOOK_FOR_CHANGES: Duration = Duration::from_millis(200);

pub(crate) async fn give_signs_of_life(hub: Weak<Hub>) {
    loop {
        let pause = match hub.upgrade() {
            Some(hub) => hub.options.lease / SIGNS_PER_LEASE,
            None => return,
        };
        tokio::time::sleep(pause).await;
        let Some(hub) = hub.upgrade() else {
            return;
        };
        let lease = hub.lease();
        let renewed = hub
            .journal
            .change(move |journal| journal.renew(&lease.borrowed()));
        if let Err(error) = renewed.await {
            tracing::warn!(%error, "a sign of life could not be given");
        }
    }
}

pub(crate) async fn look_for_changes(hub: Weak<Hub>) {
    let mut seen = None;
    loop {
        tokio::time::sleep(LOOK_FOR_CHANGES).await;
        let Some(hub) = hub.upgrade() else {
            return;
        };
        // A database that cannot be read now is checked again.
        let Ok(version) = hub.journal.version().await else {
            continue;
        };
        if seen.replace(version) == Some(version) {
            continue;
        }
        hub.changed();
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method by its name is for one lifetime only"
        )]
        let waiting = hub.journal.view(|journal| journal.runs_with_messages());
        for name in waiting.await.unwrap_or_default() {
            if let Ok(run) = name.parse() {
                hub.wake(&run);
            }
        }
    }
}
