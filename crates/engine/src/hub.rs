//! The shared state of all runs of an engine.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use baton_state::journal::{Lease, NewRun, Retention, RunRecord};
use baton_workflow::{Event, FORMAT, RunId, Start, State, apply, replay};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, broadcast, watch};

use crate::engine::{Options, RunSummary};
use crate::error::EngineError;
use crate::journal::{JournalHandle, decode, encode};
use crate::owner::{self, Owner};
use crate::people::PeopleKey;
use crate::run_folder;
use crate::slots::LocalSlots;
use crate::steps::{Activity, Steps};

pub(crate) struct Hub {
    pub(crate) options: Options,
    pub(crate) steps: Arc<dyn Steps>,
    pub(crate) journal: JournalHandle,
    pub(crate) owner: Owner,
    pub(crate) owners: PathBuf,
    pub(crate) runs: PathBuf,
    pub(crate) activity: broadcast::Sender<Activity>,
    /// Counts changes of the journal by any process.
    pub(crate) changes: watch::Sender<u64>,
    pub(crate) local_slots: LocalSlots,
    /// Notifies the drivers of this process of new messages for their runs.
    inboxes: Mutex<HashMap<RunId, Arc<Notify>>>,
    /// How many runs have ended in this process.
    ended: AtomicU64,
}

/// Looking for runs to forget costs about as much as a step.
const ENDS_PER_FORGETTING: u64 = 50;

/// How many activity messages are kept for a slow receiver.
const ACTIVITY_BACKLOG: usize = 1024;

/// A lease that can be sent to another thread.
#[derive(Clone, Debug)]
pub(crate) struct OwnLease {
    owner: String,
    now: Timestamp,
    until: Timestamp,
}

impl OwnLease {
    pub(crate) fn borrowed(&self) -> Lease<'_> {
        Lease {
            owner: &self.owner,
            now: self.now,
            until: self.until,
        }
    }
}

impl Hub {
    pub(crate) fn open(options: Options, steps: Arc<dyn Steps>) -> Result<Self, EngineError> {
        let journal = JournalHandle::open(&options.state_folder)?;
        let owners = options.state_folder.join("owners");
        let owner = Owner::new(&owners).map_err(|source| EngineError::Folder {
            path: owners.clone(),
            source: Arc::new(source),
        })?;
        Ok(Self {
            runs: options.state_folder.join("runs"),
            local_slots: LocalSlots::new(&options.concurrency),
            options,
            steps,
            journal,
            owner,
            owners,
            activity: broadcast::Sender::new(ACTIVITY_BACKLOG),
            changes: watch::Sender::new(0),
            inboxes: Mutex::default(),
            ended: AtomicU64::new(0),
        })
    }

    pub(crate) async fn people_key(&self) -> Result<PeopleKey, EngineError> {
        let folder = self.options.state_folder.clone();
        let loaded = tokio::task::spawn_blocking(move || PeopleKey::load(&folder)).await;
        loaded.map_err(|_| EngineError::Stopped)?
    }

    async fn ensure_people_key(&self) -> Result<(), EngineError> {
        let folder = self.options.state_folder.clone();
        let ensured = tokio::task::spawn_blocking(move || PeopleKey::ensure(&folder)).await;
        ensured.map_err(|_| EngineError::Stopped)?
    }

    /// Runs of an older baton have no people key yet. Without runs there is
    /// nothing to answer, and no key is created: its absence shows that the state
    /// folder is not the user's.
    pub(crate) async fn adopt_older_runs(&self) {
        let runs = self.journal.view(|journal| journal.runs(1)).await;
        if runs.is_ok_and(|runs| !runs.is_empty())
            && let Err(error) = self.ensure_people_key().await
        {
            tracing::warn!(%error, "no one can answer runs here");
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.options.now)()
    }

    pub(crate) fn lease(&self) -> OwnLease {
        let now = self.now();
        let lease = SignedDuration::try_from(self.options.lease).unwrap_or(SignedDuration::MAX);
        OwnLease {
            owner: self.owner.name.clone(),
            now,
            until: now.saturating_add(lease).unwrap_or(Timestamp::MAX),
        }
    }

    pub(crate) async fn create(&self, at: Timestamp, start: Start) -> Result<bool, EngineError> {
        let run = start.run.clone();
        let start = Box::new(start);
        let created = Event::Created { at, start };
        let summary = replay([&created])
            .map(|state| summary(&state))
            .expect("a run begins with its creation");
        self.ensure_people_key().await?;
        let lease = self.lease();
        let event = created.clone();
        let name = run.clone();
        let made = self.journal.change(move |journal| {
            let body = encode(&created);
            let new = NewRun {
                name: run.as_str(),
                format: FORMAT,
                summary: &summary,
                at,
                body: &body,
            };
            journal.create(&new, &lease.borrowed())
        });
        let made = made.await?;
        if let Some(on_event) = self.options.on_event.as_ref().filter(|_| made) {
            on_event(&name, 1, &event);
        }
        self.changed();
        Ok(made)
    }

    /// Replays a run. The number is that of its last event.
    pub(crate) async fn load(&self, run: &RunId) -> Result<(State, u64), EngineError> {
        let name = run.clone();
        let (record, entries) = self
            .journal
            .view(move |journal| {
                let entries = journal.events(name.as_str(), 0, usize::MAX)?;
                Ok((journal.run(name.as_str())?, entries))
            })
            .await?;
        let Some(record) = record else {
            return Err(EngineError::NoSuchRun { run: run.clone() });
        };
        refuse_newer(run, &record)?;
        let (mut state, mut seq) = (None, 0);
        for entry in &entries {
            // After a gap nothing can be relied on.
            if entry.seq != seq + 1 {
                break;
            }
            seq = entry.seq;
            let event = decode(run, entry)?;
            let applied = match state {
                Some(state) => apply(state, &event),
                None => replay([&event]),
            };
            state = Some(applied.map_err(|source| EngineError::Inconsistent {
                run: run.clone(),
                seq,
                source,
            })?);
        }
        match state {
            Some(state) if seq == record.last => Ok((state, seq)),
            // What was lost would be done again.
            _ => Err(EngineError::Missing {
                run: run.clone(),
                seq: seq + 1,
            }),
        }
    }

    /// Where a driver waits for messages to its run; `None` where there is one
    /// already.
    pub(crate) fn open_inbox(&self, run: &RunId) -> Option<Arc<Notify>> {
        match self.inboxes().entry(run.clone()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(place) => Some(Arc::clone(place.insert(Arc::default()))),
        }
    }

    pub(crate) fn close_inbox(&self, run: &RunId) {
        self.inboxes().remove(run);
    }

    fn inboxes(&self) -> MutexGuard<'_, HashMap<RunId, Arc<Notify>>> {
        // Nothing can panic while it is locked.
        self.inboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn wake(&self, run: &RunId) {
        if let Some(inbox) = self.inboxes().get(run) {
            inbox.notify_one();
        }
    }

    /// Now and then at the end of a run.
    pub(crate) fn is_time_to_forget(&self) -> bool {
        let ended = self.ended.fetch_add(1, Ordering::Relaxed);
        ended.is_multiple_of(ENDS_PER_FORGETTING)
    }

    pub(crate) fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    pub(crate) async fn forget_old(&self) -> Result<usize, EngineError> {
        let kept = self.options.kept;
        let age = SignedDuration::from_hours(24 * i64::from(kept.for_days));
        let retention = Retention {
            ended_after: self.now().saturating_sub(age).unwrap_or(Timestamp::MIN),
            at_most: kept.at_most,
        };
        let mut count = 0;
        loop {
            let names = self
                .journal
                .change(move |journal| journal.forget(&retention))
                .await?;
            if names.is_empty() {
                return Ok(count);
            }
            count += names.len();
            let runs = self.runs.clone();
            let removed = tokio::task::spawn_blocking(move || run_folder::remove(&runs, &names));
            removed.await.map_err(|_| EngineError::Stopped)?;
        }
    }

    pub(crate) fn summaries(&self, records: &[RunRecord]) -> Vec<RunSummary> {
        let records = records.iter();
        records
            .filter_map(|record| self.summary_of(record))
            .collect()
    }

    fn summary_of(&self, record: &RunRecord) -> Option<RunSummary> {
        // A run whose summary cannot be read is still listed.
        let summary: serde_json::Value = serde_json::from_str(&record.summary).unwrap_or_default();
        let text = |name: &str| summary.get(name)?.as_str().map(str::to_owned);
        let is_alive =
            |owner: &String| *owner == self.owner.name || !owner::is_dead(&self.owners, owner);
        Some(RunSummary {
            run: record.name.parse().ok()?,
            request: text("request").unwrap_or_default(),
            status: text("status").unwrap_or_default(),
            created: record.created,
            changed: record.changed,
            ended: record.ended,
            driven: record.ended.is_none() && record.owner.as_ref().is_some_and(is_alive),
        })
    }
}

/// Events of a format that this baton does not know may look like others and
/// mean something else.
pub(crate) fn refuse_newer(run: &RunId, record: &RunRecord) -> Result<(), EngineError> {
    if record.format <= FORMAT {
        return Ok(());
    }
    Err(EngineError::Newer {
        run: run.clone(),
        found: record.format,
    })
}

/// The summary for lists of runs, as it is stored beside the run.
pub(crate) fn summary(state: &State) -> String {
    serde_json::json!({
        "request": state.start().goal.request,
        "status": state.status().word(),
    })
    .to_string()
}
