//! How many steps of a kind are under way at once, in all processes together.
//!
//! Within a process, steps queue up for a seat; only those that have one look
//! for a place among all processes.

use std::sync::Arc;
use std::time::Duration;

use baton_workflow::{Key, Step};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::engine::Concurrency;
use crate::error::EngineError;
use crate::hub::Hub;

/// Between two looks for a place that another process may have left.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// What there are only so many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A coding agent that writes.
    Implementation,
    Review,
}

impl Kind {
    /// `None` where nobody counts.
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

/// The seats of this process.
pub(crate) struct Seats {
    implementations: Arc<Semaphore>,
    reviews: Arc<Semaphore>,
}

impl Seats {
    pub(crate) fn new(limits: &Concurrency) -> Self {
        let seats = |kind: Kind| Arc::new(Semaphore::new(kind.limit(limits)));
        Self {
            implementations: seats(Kind::Implementation),
            reviews: seats(Kind::Review),
        }
    }

    async fn sit(&self, kind: Kind) -> Result<OwnedSemaphorePermit, EngineError> {
        let seats = match kind {
            Kind::Implementation => &self.implementations,
            Kind::Review => &self.reviews,
        };
        let seat = Arc::clone(seats).acquire_owned().await;
        seat.map_err(|_| EngineError::Stopped)
    }
}

/// A place that is held for a step.
pub(crate) struct Place {
    pub(crate) kind: Kind,
    pub(crate) key: Key,
    _seat: OwnedSemaphorePermit,
}

/// Waits for a place. May be dropped at any time; a place that was taken
/// meanwhile is kept for the same key.
pub(crate) async fn occupy(hub: &Hub, kind: Kind, key: Key) -> Result<Place, EngineError> {
    let seat = hub.seats.sit(kind).await?;
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
            return Ok(Place {
                kind,
                key,
                _seat: seat,
            });
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}
