//! The public interface: creates, drives, answers, cancels and lists runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use baton_state::journal::Posted;
use baton_workflow::{Answer, Event, Goal, Key, Policy, Question, RunId, Start, State};
use jiff::Timestamp;
use tokio::sync::broadcast;
use tokio_util::task::AbortOnDropHandle;

use crate::background::{give_signs_of_life, look_for_changes};
use crate::driver::{self, RunOutcome};
use crate::error::EngineError;
use crate::follow::Follower;
use crate::hub::Hub;
use crate::inbox::Message;
use crate::random::random;
use crate::run_folder;
use crate::steps::{Activity, Steps};

/// The settings of an engine.
#[derive(Clone)]
pub struct Options {
    /// Where baton keeps its database and the folders of runs.
    pub state_folder: PathBuf,
    pub concurrency: Concurrency,
    /// How long a run belongs to a process that shows no sign of life. Only for
    /// processes whose end cannot be detected; that of others is noticed at once.
    pub lease: Duration,
    pub kept: Kept,
    /// The clock.
    pub now: fn() -> Timestamp,
    /// Called for each event once it is on disk and before anything follows from
    /// it. It is called on the runtime and must not block.
    pub on_event: Option<Arc<OnEvent>>,
}

/// A run, the number of the event, and the event.
pub type OnEvent = dyn Fn(&RunId, u64, &Event) + Send + Sync;

/// How many steps run at once, in all processes together.
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
    /// Return when only a person can continue.
    Question,
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    pub run: RunId,
    /// Empty where it cannot be read.
    pub request: String,
    /// The status when it was last driven, or empty if it cannot be read.
    pub status: String,
    pub created: Timestamp,
    pub changed: Timestamp,
    pub ended: Option<Timestamp>,
    /// A live process drives it.
    pub driven: bool,
}

/// Drives runs. Clones are the same engine; it ends with the last of them.
#[derive(Clone)]
pub struct Engine {
    hub: Arc<Hub>,
    _signs_of_life: Arc<AbortOnDropHandle<()>>,
    _changes: Arc<AbortOnDropHandle<()>>,
}

impl Engine {
    pub async fn open(options: Options, steps: Arc<dyn Steps>) -> Result<Self, EngineError> {
        let opened = tokio::task::spawn_blocking(move || Hub::open(options, steps)).await;
        let hub = Arc::new(opened.map_err(|_| EngineError::Stopped)??);
        hub.adopt_older_runs().await;
        let keep = |task| Arc::new(AbortOnDropHandle::new(task));
        Ok(Self {
            _signs_of_life: keep(tokio::spawn(give_signs_of_life(Arc::downgrade(&hub)))),
            _changes: keep(tokio::spawn(look_for_changes(Arc::downgrade(&hub)))),
            hub,
        })
    }

    /// Creates a run. It is in the journal when this returns, and this process
    /// owns it and can [drive](Self::drive) it.
    pub async fn create(&self, goal: Goal, policy: Policy) -> Result<RunId, EngineError> {
        loop {
            let at = self.hub.now();
            let name = format!("{}-{:08x}", at.strftime("%Y%m%d"), random() >> 32);
            let run: RunId = name.parse().expect("digits and a hyphen name a run");
            let start = Start {
                run: run.clone(),
                goal: goal.clone(),
                policy: policy.clone(),
            };
            if self.hub.create(at, start).await? {
                return Ok(run);
            }
        }
    }

    /// Drives a run from where it stands, in the calling task. Dropping the
    /// future stops driving: the run stays as journalled, and any process can
    /// resume it.
    pub async fn drive(&self, run: &RunId, until: Until) -> Result<RunOutcome, EngineError> {
        driver::drive(Arc::clone(&self.hub), run.clone(), until).await
    }

    /// Releases a run that this process owns and does not drive, so that another
    /// one may.
    pub async fn release(&self, run: &RunId) -> Result<(), EngineError> {
        let (run, owner) = (run.clone(), self.hub.owner.name.clone());
        let released = self
            .hub
            .journal
            .change(move |journal| journal.release(run.as_str(), &owner));
        released.await
    }

    /// Answers the question that a run asks now.
    pub async fn answer(&self, run: &RunId, answer: Answer) -> Result<(), EngineError> {
        let (state, _) = self.hub.load(run).await?;
        let Some(question) = state.question() else {
            return Err(match state.ending() {
                Some(_) => EngineError::Ended { run: run.clone() },
                None => EngineError::NoQuestion { run: run.clone() },
            });
        };
        self.answer_asked(run, question, answer).await
    }

    /// Answers one question and no other. Returns whether the run asks it now.
    pub async fn answer_question(
        &self,
        run: &RunId,
        key: &Key,
        answer: Answer,
    ) -> Result<bool, EngineError> {
        let (state, _) = self.hub.load(run).await?;
        match state.question().filter(|question| question.key == *key) {
            Some(question) => self
                .answer_asked(run, question, answer)
                .await
                .map(|()| true),
            None => Ok(false),
        }
    }

    /// Requests the cancellation of a run: running steps are stopped, and its
    /// resources are released. Without a driver, that happens when it is next
    /// driven.
    pub async fn cancel(&self, run: &RunId, reason: &str) -> Result<(), EngineError> {
        // Messages for a run that cannot be read are refused.
        self.hub.load(run).await?;
        let reason = reason.to_owned();
        self.send(run, Message::Cancel { reason }).await
    }

    /// An error where this process does not have the people key, as in the
    /// sandbox of a run.
    pub async fn require_person(&self) -> Result<(), EngineError> {
        self.hub.people_key().await.map(drop)
    }

    /// The current state of a run.
    pub async fn state(&self, run: &RunId) -> Result<State, EngineError> {
        self.hub.load(run).await.map(|(state, _)| state)
    }

    /// The newest runs first.
    pub async fn runs(&self, limit: usize) -> Result<Vec<RunSummary>, EngineError> {
        let records = self
            .hub
            .journal
            .view(move |journal| journal.runs(limit))
            .await?;
        Ok(self.hub.summaries(&records))
    }

    /// The runs that have not ended, the oldest first.
    pub async fn open_runs(&self) -> Result<Vec<RunSummary>, EngineError> {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method by its name is for one lifetime only"
        )]
        let records = self.hub.journal.view(|journal| journal.open_runs()).await?;
        Ok(self.hub.summaries(&records))
    }

    /// The events of a run after number `after`, and those to come.
    pub fn follow(&self, run: &RunId, after: u64) -> Follower {
        Follower::new(Arc::clone(&self.hub), run.clone(), after)
    }

    /// The current state of a run, and a follower of what is to come.
    pub async fn watch(&self, run: &RunId) -> Result<(State, Follower), EngineError> {
        let (state, last) = self.hub.load(run).await?;
        Ok((state, self.follow(run, last)))
    }

    /// What the steps of this process report from now on.
    pub fn activity(&self) -> broadcast::Receiver<Activity> {
        self.hub.activity.subscribe()
    }

    /// The folder of a run: its handoffs and the files of its steps.
    pub fn run_folder(&self, run: &RunId) -> PathBuf {
        run_folder::path(&self.hub.runs, run)
    }

    /// Forgets runs that ended long ago, and returns how many.
    pub async fn forget_old(&self) -> Result<usize, EngineError> {
        self.hub.forget_old().await
    }

    async fn answer_asked(
        &self,
        run: &RunId,
        question: &Question,
        answer: Answer,
    ) -> Result<(), EngineError> {
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
        self.send(run, Message::Answer { question, answer }).await
    }

    async fn send(&self, run: &RunId, message: Message) -> Result<(), EngineError> {
        let (name, at) = (run.clone(), self.hub.now());
        let body = message.sign(run, &self.hub.people_key().await?, at, random());
        let posted = self
            .hub
            .journal
            .change(move |journal| journal.post(name.as_str(), at, &body));
        match posted.await? {
            Posted::Yes => {
                self.hub.wake(run);
                Ok(())
            }
            Posted::NoSuchRun => Err(EngineError::NoSuchRun { run: run.clone() }),
            Posted::Ended => Err(EngineError::Ended { run: run.clone() }),
        }
    }
}
