//! Follows the events of a run as they are journalled.

use std::collections::VecDeque;
use std::sync::Arc;

use baton_workflow::{Event, RunId};
use tokio::sync::watch;

use crate::error::EngineError;
use crate::hub::{Hub, refuse_newer};
use crate::journal::decode;

/// An event as it is in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub seq: u64,
    pub event: Event,
}

/// Yields the events of a run as they happen, in any process.
pub struct Follower {
    hub: Arc<Hub>,
    run: RunId,
    after: u64,
    read: VecDeque<Recorded>,
    changes: watch::Receiver<u64>,
}

/// Events that are read at once.
const PAGE: usize = 256;

impl Follower {
    pub(crate) fn new(hub: Arc<Hub>, run: RunId, after: u64) -> Self {
        let changes = hub.changes.subscribe();
        Self {
            hub,
            run,
            after,
            read: VecDeque::new(),
            changes,
        }
    }

    /// The next event; `None` after the last one of a run that has ended. May be
    /// dropped and called again.
    pub async fn next(&mut self) -> Result<Option<Recorded>, EngineError> {
        loop {
            if let Some(recorded) = self.read.pop_front() {
                self.after = recorded.seq;
                return Ok(Some(recorded));
            }
            self.changes.mark_unchanged();
            if self.has_ended().await? {
                return Ok(None);
            }
            if self.read.is_empty() && self.changes.changed().await.is_err() {
                return Err(EngineError::Stopped);
            }
        }
    }

    /// Reads more events, and returns whether the run has ended.
    async fn has_ended(&mut self) -> Result<bool, EngineError> {
        let (run, after) = (self.run.clone(), self.after);
        let (record, entries) = self
            .hub
            .journal
            .view(move |journal| {
                let entries = journal.events(run.as_str(), after, PAGE)?;
                Ok((journal.run(run.as_str())?, entries))
            })
            .await?;
        let record = record.ok_or_else(|| EngineError::NoSuchRun {
            run: self.run.clone(),
        })?;
        refuse_newer(&self.run, &record)?;
        for entry in &entries {
            match decode(&self.run, entry) {
                Ok(event) => self.read.push_back(Recorded {
                    seq: entry.seq,
                    event,
                }),
                Err(error) if self.read.is_empty() => return Err(error),
                // The events before it are returned first.
                Err(_) => break,
            }
        }
        Ok(self.read.is_empty() && record.ended.is_some())
    }
}
