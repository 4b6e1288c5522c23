//! Limits how many steps of a kind run at once, in all processes together.
//!
//! Within a process, steps wait for a permit; only those that have one compete
//! for a slot among all processes.

use std::sync::Arc;
use std::time::Duration;

use baton_workflow::{Key, Step};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::engine::Concurrency;
use crate::error::EngineError;
use crate::hub::Hub;

/// Between two attempts to get a slot that another process may have released.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// The kinds of steps with a limited number of slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A coding agent that writes.
    Implementation,
    Review,
}

impl Kind {
    /// `None` for steps without a limit.
    pub(crate) fn for_step(step: Step) -> Option<Self> {
        match step {
            Step::Implement | Step::Fix => Some(Self::Implementation),
            Step::Review => Some(Self::Review),
            Step::Issue
            | Step::Prepare
            | Step::Publish
            | Step::Validate
            | Step::Merge
            | Step::Close
            | Step::CleanUp => None,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Implementation => "implementation",
            Self::Review => "review",
        }
    }

    fn limit(self, limits: &Concurrency) -> usize {
        match self {
            Self::Implementation => limits.implementations,
            Self::Review => limits.reviews,
        }
    }
}

/// The permits of this process.
pub(crate) struct LocalSlots {
    implementations: Arc<Semaphore>,
    reviews: Arc<Semaphore>,
}

impl LocalSlots {
    pub(crate) fn new(limits: &Concurrency) -> Self {
        let slots = |kind: Kind| Arc::new(Semaphore::new(kind.limit(limits)));
        Self {
            implementations: slots(Kind::Implementation),
            reviews: slots(Kind::Review),
        }
    }

    async fn acquire(&self, kind: Kind) -> Result<OwnedSemaphorePermit, EngineError> {
        let slots = match kind {
            Kind::Implementation => &self.implementations,
            Kind::Review => &self.reviews,
        };
        let permit = Arc::clone(slots).acquire_owned().await;
        permit.map_err(|_| EngineError::Stopped)
    }
}

/// A slot that is held for a step.
pub(crate) struct Slot {
    pub(crate) kind: Kind,
    pub(crate) key: Key,
    _permit: OwnedSemaphorePermit,
}

/// Waits for a slot. May be dropped at any time; a slot that was taken meanwhile
/// is kept for the same key.
pub(crate) async fn occupy(hub: &Hub, kind: Kind, key: Key) -> Result<Slot, EngineError> {
    let permit = hub.local_slots.acquire(kind).await?;
    let limit = kind.limit(&hub.options.concurrency);
    loop {
        let holder = key.clone();
        let (lease, owners) = (hub.lease(), hub.owners.clone());
        let taken = hub.journal.change(move |journal| {
            let is_dead = |owner: &str| crate::owner::is_dead(&owners, owner);
            let lease = lease.borrowed();
            journal.occupy(kind.word(), holder.as_str(), limit, &lease, &is_dead)
        });
        if taken.await? {
            return Ok(Slot {
                kind,
                key,
                _permit: permit,
            });
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}
