//! Exclusive ownership of a run while it is driven.

use std::sync::Arc;

use baton_workflow::RunId;
use tokio::sync::Notify;

use crate::error::EngineError;
use crate::hub::Hub;
use crate::owner;

/// Leases the run, unless a live owner has it.
pub(crate) async fn take(hub: &Hub, run: &RunId) -> Result<(), EngineError> {
    let (name, lease, owners) = (run.clone(), hub.lease(), hub.owners.clone());
    let taken = hub.journal.change(move |journal| {
        let is_dead = |owner: &str| owner::is_dead(&owners, owner);
        journal.take(name.as_str(), &lease.borrowed(), &is_dead)
    });
    match taken.await? {
        None => Err(EngineError::NoSuchRun { run: run.clone() }),
        Some(owner) if owner == hub.owner.name => Ok(()),
        Some(_) => Err(EngineError::Busy { run: run.clone() }),
    }
}

/// A run that this process drives. Dropping it releases the run.
pub(crate) struct RunGuard {
    pub(crate) hub: Arc<Hub>,
    pub(crate) run: RunId,
    pub(crate) inbox: Arc<Notify>,
}

impl RunGuard {
    /// `None` where this process drives the run already.
    pub(crate) fn new(hub: Arc<Hub>, run: RunId) -> Option<Self> {
        let inbox = hub.open_inbox(&run)?;
        Some(Self { hub, run, inbox })
    }
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        self.hub.close_inbox(&self.run);
        let (run, owner) = (self.run.clone(), self.hub.owner.name.clone());
        self.hub.journal.change_later(move |journal| {
            journal.vacate_all(run.as_str(), &owner)?;
            journal.release(run.as_str(), &owner)
        });
    }
}
