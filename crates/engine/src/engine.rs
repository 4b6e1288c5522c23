use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_state::journal::{Lease, NewRun, Posted, Retention, RunRecord};
use baton_workflow::{Answer, Event, FORMAT, Goal, Policy, RunId, Start, State, apply, replay};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, broadcast, watch};
use tokio_util::task::AbortOnDropHandle;

use crate::driver::{self, Driven};
use crate::error::EngineError;
use crate::follow::Follower;
use crate::inbox::Message;
use crate::journal::{JournalHandle, decode, encode};
use crate::owner::{self, Owner};
use crate::random::random;
use crate::run_folder;
use crate::steps::{Activity, Steps};

/// How an engine works.
#[derive(Clone)]
pub struct Options {
    /// Where baton keeps its database and the folders of runs.
    pub state_folder: PathBuf,
    pub concurrency: Concurrency,
    /// How long a run belongs to a process that gives no sign of life. Only for
    /// processes whose end cannot be seen; that of others is noticed at once.
    pub lease: Duration,
    pub kept: Kept,
    /// The clock.
    pub now: fn() -> Timestamp,
    /// Told of each event when it is on the disk and before anything follows
    /// from it. It is called on the runtime and must not block.
    pub on_event: Option<Arc<OnEvent>>,
}

/// A run, the number of the event, and the event.
pub type OnEvent = dyn Fn(&RunId, u64, &Event) + Send + Sync;

/// How many steps are under way at once, in all processes together.
#[derive(Clone, Copy, Debug)]
pub struct Concurrency {
    /// Also fixes: a coding agent that writes.
    pub implementations: usize,
    pub reviews: usize,
}

/// Which runs that have ended are kept.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    pub for_days: u32,
    pub at_most: usize,
}

impl Options {
    pub fn new(state_folder: impl Into<PathBuf>) -> Self {
        Self {
            state_folder: state_folder.into(),
            concurrency: Concurrency {
                implementations: 3,
                reviews: 5,
            },
            lease: Duration::from_secs(30),
            kept: Kept {
                for_days: 90,
                at_most: 1000,
            },
            now: Timestamp::now,
            on_event: None,
        }
    }
}

/// How far to drive a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Wait for answers, however long they take.
    Ended,
    /// Come back when only a person can go on.
    Question,
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    pub run: RunId,
    pub request: String,
    /// The word for where it stands.
    pub status: String,
    pub created: Timestamp,
    pub changed: Timestamp,
    pub ended: Option<Timestamp>,
    /// A living process drives it.
    pub driven: bool,
}

/// Drives runs. Clones are the same engine; it ends with the last of them.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    _signs_of_life: Arc<AbortOnDropHandle<()>>,
    _changes: Arc<AbortOnDropHandle<()>>,
}

pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) steps: Arc<dyn Steps>,
    pub(crate) journal: JournalHandle,
    pub(crate) owner: Owner,
    pub(crate) owners: PathBuf,
    pub(crate) runs: PathBuf,
    pub(crate) activity: broadcast::Sender<Activity>,
    /// Counts changes of the journal, by whomever.
    pub(crate) changes: watch::Sender<u64>,
    pub(crate) vacated: Notify,
    /// Tells the drivers of this process that something was said to their run.
    inboxes: Mutex<HashMap<RunId, Arc<Notify>>>,
    /// How many runs have ended in this process.
    ended: AtomicU64,
}

/// Signs of life per lease: two may get lost.
const SIGNS_PER_LEASE: u32 = 3;

/// Between two looks for what other processes have written.
const LOOK_FOR_CHANGES: Duration = Duration::from_millis(200);

/// Looking for runs to forget costs about as much as a step.
const ENDS_PER_FORGETTING: u64 = 50;

/// Of what steps say, so much is kept for a slow watcher.
const ACTIVITY_BACKLOG: usize = 1024;

impl Engine {
    pub async fn open(options: Options, steps: Arc<dyn Steps>) -> Result<Self, EngineError> {
        let opened = tokio::task::spawn_blocking(move || Shared::open(options, steps)).await;
        let shared = Arc::new(opened.map_err(|_| EngineError::Stopped)??);
        let keep = |task| Arc::new(AbortOnDropHandle::new(task));
        Ok(Self {
            _signs_of_life: keep(tokio::spawn(give_signs_of_life(Arc::downgrade(&shared)))),
            _changes: keep(tokio::spawn(look_for_changes(Arc::downgrade(&shared)))),
            shared,
        })
    }

    /// Begins a run. It stands in the journal when this returns, and is this
    /// process's to [drive](Self::drive).
    pub async fn create(&self, goal: Goal, policy: Policy) -> Result<RunId, EngineError> {
        loop {
            let at = self.shared.now();
            let name = format!("{}-{:08x}", at.strftime("%Y%m%d"), random() >> 32);
            let run: RunId = name.parse().expect("digits and a hyphen name a run");
            let start = Start {
                run: run.clone(),
                goal: goal.clone(),
                policy: policy.clone(),
            };
            if self.shared.create(at, start).await? {
                return Ok(run);
            }
        }
    }

    /// Drives a run from where it stands, in the calling task. Dropping the
    /// future stops driving: the run stays as journalled, and can be driven on
    /// by anybody.
    pub async fn drive(&self, run: &RunId, until: Until) -> Result<Driven, EngineError> {
        driver::drive(Arc::clone(&self.shared), run.clone(), until).await
    }

    /// Answers the question that a run asks now.
    pub async fn answer(&self, run: &RunId, answer: Answer) -> Result<(), EngineError> {
        let (state, _) = self.shared.load(run).await?;
        let Some(question) = state.question() else {
            return Err(match state.ending() {
                Some(_) => EngineError::Ended { run: run.clone() },
                None => EngineError::NoQuestion { run: run.clone() },
            });
        };
        if !question
            .options
            .iter()
            .any(|option| option.key == answer.choice)
        {
            let options = question.options.iter();
            let options: Vec<_> = options
                .map(|one| format!("{} ({})", one.key, one.label))
                .collect();
            return Err(EngineError::NoSuchChoice {
                choice: answer.choice,
                options: options.join(", "),
            });
        }
        let question = question.key.clone();
        self.say(run, Message::Answer { question, answer }).await
    }

    /// Asks for the end of a run: what is under way is stopped, and what the
    /// run holds is let go. Without a driver, that happens when it is driven.
    pub async fn cancel(&self, run: &RunId, reason: &str) -> Result<(), EngineError> {
        let reason = reason.to_owned();
        self.say(run, Message::Cancel { reason }).await
    }

    /// Where a run stands.
    pub async fn state(&self, run: &RunId) -> Result<State, EngineError> {
        self.shared.load(run).await.map(|(state, _)| state)
    }

    /// The newest runs first.
    pub async fn runs(&self, limit: usize) -> Result<Vec<RunSummary>, EngineError> {
        let records = self
            .shared
            .journal
            .view(move |journal| journal.runs(limit))
            .await?;
        Ok(self.shared.summaries(&records))
    }

    /// The runs that have not ended, the oldest first.
    pub async fn open_runs(&self) -> Result<Vec<RunSummary>, EngineError> {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method by its name is for one lifetime only"
        )]
        let records = self
            .shared
            .journal
            .view(|journal| journal.open_runs())
            .await?;
        Ok(self.shared.summaries(&records))
    }

    /// The events of a run behind number `after`, and those to come.
    pub fn follow(&self, run: &RunId, after: u64) -> Follower {
        Follower::new(Arc::clone(&self.shared), run.clone(), after)
    }

    /// What the steps of this process say from now on.
    pub fn activity(&self) -> broadcast::Receiver<Activity> {
        self.shared.activity.subscribe()
    }

    /// The folder of a run: its handoffs and what its steps leave.
    pub fn run_folder(&self, run: &RunId) -> PathBuf {
        run_folder::path(&self.shared.runs, run)
    }

    /// Forgets runs that ended long ago, and returns how many.
    pub async fn forget_old(&self) -> Result<usize, EngineError> {
        self.shared.forget_old().await
    }

    async fn say(&self, run: &RunId, message: Message) -> Result<(), EngineError> {
        let (name, at, body) = (run.clone(), self.shared.now(), message.encode());
        let posted = self
            .shared
            .journal
            .change(move |journal| journal.post(name.as_str(), at, &body));
        match posted.await? {
            Posted::Yes => {
                self.shared.wake(run);
                Ok(())
            }
            Posted::NoSuchRun => Err(EngineError::NoSuchRun { run: run.clone() }),
            Posted::Ended => Err(EngineError::Ended { run: run.clone() }),
        }
    }
}

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

impl Shared {
    fn open(options: Options, steps: Arc<dyn Steps>) -> Result<Self, EngineError> {
        let journal = JournalHandle::open(&options.state_folder)?;
        let owners = options.state_folder.join("owners");
        let owner = Owner::new(&owners).map_err(|source| EngineError::Folder {
            path: owners.clone(),
            source: Arc::new(source),
        })?;
        Ok(Self {
            runs: options.state_folder.join("runs"),
            options,
            steps,
            journal,
            owner,
            owners,
            activity: broadcast::Sender::new(ACTIVITY_BACKLOG),
            changes: watch::Sender::new(0),
            vacated: Notify::new(),
            inboxes: Mutex::default(),
            ended: AtomicU64::new(0),
        })
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

    async fn create(&self, at: Timestamp, start: Start) -> Result<bool, EngineError> {
        let run = start.run.clone();
        let start = Box::new(start);
        let created = Event::Created { at, start };
        let summary = replay([&created])
            .map(|state| summary(&state))
            .expect("a run begins with its creation");
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
        if record.format > FORMAT {
            return Err(EngineError::Newer {
                run: run.clone(),
                found: record.format,
            });
        }
        let mut state = None;
        for entry in &entries {
            let event = decode(run, entry)?;
            let applied = match state {
                Some(state) => apply(state, &event),
                None => replay([&event]),
            };
            state = Some(applied.map_err(|source| EngineError::Inconsistent {
                run: run.clone(),
                seq: entry.seq,
                source,
            })?);
        }
        match state {
            Some(state) => Ok((state, record.last)),
            None => Err(EngineError::NoSuchRun { run: run.clone() }),
        }
    }

    /// Where a driver waits for what is said to its run; `None` where there is
    /// one already.
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

    fn wake(&self, run: &RunId) {
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

    fn summaries(&self, records: &[RunRecord]) -> Vec<RunSummary> {
        let records = records.iter();
        records
            .filter_map(|record| self.summary_of(record))
            .collect()
    }

    fn summary_of(&self, record: &RunRecord) -> Option<RunSummary> {
        let summary: serde_json::Value = serde_json::from_str(&record.summary).ok()?;
        let text = |name: &str| summary.get(name)?.as_str().map(str::to_owned);
        let is_alive =
            |owner: &String| *owner == self.owner.name || !owner::is_dead(&self.owners, owner);
        Some(RunSummary {
            run: record.name.parse().ok()?,
            request: text("request")?,
            status: text("status")?,
            created: record.created,
            changed: record.changed,
            ended: record.ended,
            driven: record.ended.is_none() && record.owner.as_ref().is_some_and(is_alive),
        })
    }
}

/// What a list of runs shows, as it is stored beside the run.
pub(crate) fn summary(state: &State) -> String {
    serde_json::json!({
        "request": state.start().goal.request,
        "status": state.status().word(),
    })
    .to_string()
}

async fn give_signs_of_life(shared: std::sync::Weak<Shared>) {
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

async fn look_for_changes(shared: std::sync::Weak<Shared>) {
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
