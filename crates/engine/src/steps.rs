//! The interface between the engine and the steps that it runs.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use baton_workflow::{Failure, Guidance, Key, Report, RunId, State, Step, StepLimits, Usage};
use jiff::Timestamp;
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::acceptance::{Acceptances, read_acceptances};
use crate::error::EngineError;
use crate::hub::Hub;
use crate::journal::JournalHandle;
use crate::run_folder;

/// What the steps of the workflow do. The engine knows when a step runs; this
/// knows how.
///
/// A step runs at least once and may run again under the same key: after a crash,
/// after a failure, in another process. So it first looks for its effect by the
/// key, then makes it, then reports it.
pub trait Steps: Send + Sync {
    fn run<'a>(&'a self, call: &'a StepCall, context: &'a StepContext) -> StepFuture<'a>;
}

pub type StepFuture<'a> = Pin<Box<dyn Future<Output = StepResult> + Send + 'a>>;

/// The result of a step, and the resources it used.
#[derive(Clone, Debug)]
pub struct StepResult {
    pub outcome: Result<Report, Failure>,
    pub usage: Usage,
}

impl From<Result<Report, Failure>> for StepResult {
    fn from(outcome: Result<Report, Failure>) -> Self {
        Self {
            outcome,
            usage: Usage::default(),
        }
    }
}

/// One step to run.
#[derive(Clone, Debug)]
pub struct StepCall {
    /// The idempotency key of every effect of the step.
    pub key: Key,
    pub step: Step,
    /// From 1 on.
    pub attempt: u32,
    /// The step was started before, by a process that died.
    pub resumed: bool,
    pub limits: StepLimits,
    /// The current state of the run: the request, the handoffs so far.
    pub state: Arc<State>,
}

impl StepCall {
    pub fn run(&self) -> &RunId {
        self.state.run()
    }

    /// The results of earlier attempts, and the comments of a person.
    pub fn guidance(&self) -> &[Guidance] {
        self.state.task().map_or(&[], |task| &task.guidance)
    }
}

/// What the engine offers to a step.
#[derive(Clone)]
pub struct StepContext {
    /// The step must end early, and soon.
    pub cancel: CancellationToken,
    /// A folder of the run for logs and similar files. It is removed with the
    /// run.
    folder: PathBuf,
    run: RunId,
    key: Key,
    owner: Arc<str>,
    journal: JournalHandle,
    activity: broadcast::Sender<Activity>,
    alive: watch::Sender<Instant>,
    noticed: Noticed,
    state_folder: PathBuf,
    now: fn() -> Timestamp,
}

/// What a step adds to the run's record.
pub(crate) type Noticed = Arc<Mutex<Vec<String>>>;

/// A progress message of a step for current subscribers. It is not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    pub run: RunId,
    pub key: Key,
    /// Foreign text; must not be printed unescaped.
    pub text: String,
    /// It is stored in the run's record as well, and displayed with it.
    pub is_recorded: bool,
}

/// Longer lines are cut.
const MAX_ACTIVITY: usize = 500;

/// Further notices of one step are dropped.
const MAX_NOTICED: usize = 50;

impl StepContext {
    pub(crate) fn new(
        call: &StepCall,
        hub: &Hub,
        cancel: CancellationToken,
        alive: watch::Sender<Instant>,
        noticed: Noticed,
    ) -> Self {
        Self {
            cancel,
            folder: run_folder::path(&hub.runs, call.run()),
            run: call.run().clone(),
            key: call.key.clone(),
            owner: hub.owner.name.as_str().into(),
            journal: hub.journal.clone(),
            activity: hub.activity.clone(),
            alive,
            noticed,
            state_folder: hub.options.state_folder.clone(),
            now: hub.options.now,
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Signals that the step is alive. One that is silent for too long is ended.
    pub fn tick(&self) {
        self.alive.send_replace(Instant::now());
    }

    /// Sends a progress message to subscribers; also a sign of life.
    pub fn say(&self, text: &str) {
        self.send(text, false);
    }

    fn send(&self, text: &str, is_recorded: bool) {
        self.tick();
        let end = text.floor_char_boundary(MAX_ACTIVITY);
        // An error means that there are no subscribers, which is fine.
        let _ = self.activity.send(Activity {
            run: self.run.clone(),
            key: self.key.clone(),
            text: text[..end].to_owned(),
            is_recorded,
        });
    }

    /// Like [`say`](Self::say), and stores the text in the run's record when the
    /// step ends.
    pub fn notice(&self, text: &str) {
        self.send(text, true);
        let end = text.floor_char_boundary(MAX_ACTIVITY);
        let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        if noticed.len() < MAX_NOTICED && !noticed.iter().any(|known| known == &text[..end]) {
            noticed.push(text[..end].to_owned());
        }
    }

    /// Stores a value under a name, durably, so that the step finds it again
    /// after a crash.
    pub async fn remember(&self, name: &str, body: impl Into<Vec<u8>>) -> Result<(), EngineError> {
        let (run, owner) = (self.run.clone(), Arc::clone(&self.owner));
        let (key, name, body) = (self.key.clone(), name.to_owned(), body.into());
        let noted = self.journal.change(move |journal| {
            journal.put_note(run.as_str(), &owner, (key.as_str(), &name), &body)
        });
        let run = || self.run.clone();
        noted.await?.map_err(|_| EngineError::Fenced { run: run() })
    }

    /// What people have accepted for a repository, as of now.
    pub async fn acceptances(&self, repository: &str) -> Result<Acceptances, EngineError> {
        let (folder, repository) = (self.state_folder.clone(), repository.to_owned());
        let now = (self.now)();
        let read = move || read_acceptances(&folder, &repository, now);
        let read = tokio::task::spawn_blocking(read).await;
        read.map_err(|_| EngineError::Stopped)?
    }

    /// The value stored under a name.
    pub async fn recall(&self, name: &str) -> Result<Option<Vec<u8>>, EngineError> {
        let (run, key, name) = (self.run.clone(), self.key.clone(), name.to_owned());
        self.journal
            .view(move |journal| journal.note(run.as_str(), key.as_str(), &name))
            .await
    }
}
