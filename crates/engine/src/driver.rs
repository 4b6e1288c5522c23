//! Drives one run: executes the commands of the workflow and records the events.

use std::sync::{Arc, PoisonError};

use baton_state::journal::Append;
use baton_workflow::{
    Command, Ending, Event, Failure, FailureKind, Key, RunId, State, Step, StepLimits, Usage,
    apply, next,
};
use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::engine::Until;
use crate::error::EngineError;
use crate::hub::{Hub, summary};
use crate::inbox::{Message, Unsigned};
use crate::journal::encode;
use crate::run_folder;
use crate::run_guard::{RunGuard, take};
use crate::slots::{Kind, Slot};
use crate::steps::{Activity, Noticed, StepCall, StepContext, StepResult};
use crate::stopwatch::Stopwatch;
use crate::supervise::UnderWay;
use crate::waiting::{ended, occupied, slept};

/// How driving a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum RunOutcome {
    Ended(Ending),
    /// Only a person can continue. The run has no driver now.
    Waiting(Box<State>),
}

pub(crate) async fn drive(
    hub: Arc<Hub>,
    run: RunId,
    until: Until,
) -> Result<RunOutcome, EngineError> {
    let Some(guard) = RunGuard::new(Arc::clone(&hub), run.clone()) else {
        return Err(EngineError::Busy { run });
    };
    take(&hub, &run).await?;
    let (state, last) = hub.load(&run).await?;
    let mut driver = Driver {
        guard,
        state,
        last,
        pending: Vec::new(),
        noted: Vec::new(),
        has_messages: true,
        begun: None,
        under_way: None,
        slot: None,
        documented: 0,
    };
    // The process before this one may have died before it wrote them.
    driver.document().await;
    let led_to = driver.until(until).await;
    driver.release().await?;
    led_to
}

struct Driver {
    guard: RunGuard,
    /// The state with all events, pending ones included.
    state: State,
    /// The number of the last event in the journal.
    last: u64,
    /// Events that are not in the journal yet.
    pending: Vec<Event>,
    /// Messages that are handled once the events are in the journal.
    noted: Vec<i64>,
    /// The run may have new messages.
    has_messages: bool,
    /// The step that this driver has recorded as started.
    begun: Option<Begun>,
    under_way: Option<UnderWay>,
    slot: Option<Slot>,
    /// How many handoffs are written as documents.
    documented: usize,
}

struct Begun {
    key: Key,
    step: Step,
    attempt: u32,
    limits: StepLimits,
    /// Another driver started it before.
    resumed: bool,
    noticed: Noticed,
    stopwatch: Stopwatch,
}

/// What woke the driver.
enum Wakeup {
    StepEnded(StepResult),
    /// There is a slot for the step now.
    Slot(Slot),
    Woke(Key),
    Message,
}

/// Longer messages are cut.
const MAX_MESSAGE: usize = 4_000;

impl Driver {
    async fn until(&mut self, until: Until) -> Result<RunOutcome, EngineError> {
        loop {
            self.read_messages().await?;
            self.record_what_follows()?;
            self.write_down().await?;
            self.begin();
            if let Some(ending) = self.state.ending() {
                return Ok(RunOutcome::Ended(ending.clone()));
            }
            let is_asking = self.state.question().is_some();
            if is_asking && until == Until::Question {
                return Ok(RunOutcome::Waiting(Box::new(self.state.clone())));
            }
            match self.wait().await? {
                Wakeup::StepEnded(result) => self.step_ended(result)?,
                Wakeup::Slot(slot) => self.slot = Some(slot),
                Wakeup::Woke(key) => {
                    let at = self.now();
                    self.record(Event::Woke { key, at })?;
                }
                Wakeup::Message => self.has_messages = true,
            }
        }
    }

    /// Records all events that need no waiting.
    fn record_what_follows(&mut self) -> Result<(), EngineError> {
        loop {
            let at = self.now();
            let event = match next(&self.state).into_iter().next() {
                Some(Command::RunStep {
                    key,
                    step,
                    attempt,
                    limits,
                    begun: resumed,
                }) => {
                    if self.has_begun(&key) || !self.may_begin(&key, step) {
                        return Ok(());
                    }
                    self.begun = Some(Begun {
                        key: key.clone(),
                        step,
                        attempt,
                        limits,
                        resumed,
                        noticed: Noticed::default(),
                        stopwatch: Stopwatch::start(),
                    });
                    Event::Started { key, at }
                }
                Some(Command::Stop { key }) => match &self.under_way {
                    Some(under_way) => {
                        under_way.cancel.cancel();
                        return Ok(());
                    }
                    None => cancelled(key, at),
                },
                Some(Command::Ask {
                    key, known: false, ..
                }) => Event::Asked { key, at },
                Some(Command::Ask { .. } | Command::Sleep { .. } | Command::Complete { .. })
                | None => return Ok(()),
            };
            self.record(event)?;
        }
    }

    fn has_begun(&self, key: &Key) -> bool {
        self.begun.as_ref().is_some_and(|begun| begun.key == *key)
    }

    fn may_begin(&self, key: &Key, step: Step) -> bool {
        Kind::for_step(step).is_none() || self.slot.as_ref().is_some_and(|slot| slot.key == *key)
    }

    /// Starts the step that is recorded as started.
    fn begin(&mut self) {
        let Some(begun) = self.begun.as_ref().filter(|_| self.under_way.is_none()) else {
            return;
        };
        // Started too often: the workflow asks instead.
        if !self.state.is_running() {
            self.begun = None;
            return;
        }
        let call = StepCall {
            key: begun.key.clone(),
            step: begun.step,
            attempt: begun.attempt,
            resumed: begun.resumed,
            limits: begun.limits,
            state: Arc::new(self.state.clone()),
        };
        let hub = self.hub();
        let (alive, watched) = watch::channel(Instant::now());
        let noticed = Arc::clone(&begun.noticed);
        let context = StepContext::new(&call, hub, CancellationToken::new(), alive, noticed);
        let steps = Arc::clone(&hub.steps);
        self.under_way = Some(UnderWay::begin(steps, call, context, watched));
    }

    async fn wait(&mut self) -> Result<Wakeup, EngineError> {
        let hub = Arc::clone(self.hub());
        let commands = next(&self.state);
        let wanted = self.wanted_slot(&commands);
        let timer = commands.into_iter().find_map(|command| match command {
            Command::Sleep { key, until } => Some((key, until)),
            _ => None,
        });
        tokio::select! {
            result = ended(&mut self.under_way) => Ok(Wakeup::StepEnded(result)),
            taken = occupied(&hub, wanted) => taken.map(Wakeup::Slot),
            key = slept(&hub, timer) => Ok(Wakeup::Woke(key)),
            () = self.guard.inbox.notified() => Ok(Wakeup::Message),
        }
    }

    fn wanted_slot(&self, commands: &[Command]) -> Option<(Kind, Key)> {
        let Some(Command::RunStep { key, step, .. }) = commands.first() else {
            return None;
        };
        if self.has_begun(key) || self.may_begin(key, *step) {
            return None;
        }
        Some((Kind::for_step(*step)?, key.clone()))
    }

    fn step_ended(&mut self, result: StepResult) -> Result<(), EngineError> {
        self.under_way = None;
        let Some(begun) = self.begun.take() else {
            return Ok(());
        };
        let Begun {
            key,
            noticed,
            stopwatch,
            ..
        } = begun;
        let at = self.now();
        let texts = std::mem::take(&mut *noticed.lock().unwrap_or_else(PoisonError::into_inner));
        if !texts.is_empty() {
            let key = key.clone();
            self.record(Event::Noticed { key, at, texts })?;
        }
        let StepResult { outcome, mut usage } = result;
        usage.elapsed_ms = stopwatch.elapsed_ms();
        let outcome = outcome.and_then(|report| match self.state.check_report(&report) {
            Ok(()) => Ok(report),
            Err(rejection) => Err(Failure::new(FailureKind::Unproven, rejection.to_string())),
        });
        self.record(match outcome {
            Ok(report) => Event::Finished {
                key,
                at,
                report,
                usage,
            },
            Err(mut failure) => {
                let end = failure.message.floor_char_boundary(MAX_MESSAGE);
                failure.message.truncate(end);
                // Only a run that is being cancelled has cancelled steps.
                if failure.kind == FailureKind::Cancelled && !self.state.is_cancelling() {
                    failure.kind = FailureKind::Stalled;
                }
                Event::Failed {
                    key,
                    at,
                    failure,
                    usage,
                }
            }
        })
    }

    async fn read_messages(&mut self) -> Result<(), EngineError> {
        if !std::mem::take(&mut self.has_messages) {
            return Ok(());
        }
        let run = self.run().clone();
        let messages = self
            .hub()
            .journal
            .view(move |journal| journal.messages(run.as_str()))
            .await?;
        if messages.is_empty() {
            return Ok(());
        }
        let key = self.hub().people_key().await;
        for message in messages {
            if self.noted.contains(&message.id) {
                continue;
            }
            self.noted.push(message.id);
            let at = self.now();
            let Some(opened) = Message::open(&message.body, self.run(), key.as_ref().ok()) else {
                continue;
            };
            match opened.map(|message| message.into_event(at)) {
                Ok(event) if apply(self.state.clone(), &event).is_ok() => self.record(event)?,
                // An answer that comes too late is ignored.
                Ok(_) => {}
                Err(unsigned) => self.refuse(&unsigned)?,
            }
        }
        Ok(())
    }

    /// Records the refused message in the run.
    fn refuse(&mut self, unsigned: &Unsigned) -> Result<(), EngineError> {
        tracing::warn!(run = %self.run(), "{unsigned}");
        let key = Key::from(format!("{}/inbox", self.run()));
        let text = unsigned.to_string();
        // An error means that there are no receivers, which is fine.
        let _ = self.hub().activity.send(Activity {
            run: self.run().clone(),
            key: key.clone(),
            text: text.clone(),
            is_recorded: true,
        });
        let event = Event::Noticed {
            key,
            at: self.now(),
            texts: vec![text],
        };
        // A run that has ended accepts no more events.
        if apply(self.state.clone(), &event).is_ok() {
            self.record(event)?;
        }
        Ok(())
    }

    fn record(&mut self, event: Event) -> Result<(), EngineError> {
        let applied = apply(self.state.clone(), &event);
        self.state = applied.map_err(|source| EngineError::Inconsistent {
            run: self.run().clone(),
            seq: self.last + 1,
            source,
        })?;
        self.pending.push(event);
        Ok(())
    }

    /// Writes everything that is recorded to disk. No effect may happen before
    /// this has returned.
    async fn write_down(&mut self) -> Result<(), EngineError> {
        if self.pending.is_empty() && self.noted.is_empty() {
            return Ok(());
        }
        let recorded = std::mem::take(&mut self.pending);
        let events: Vec<_> = recorded
            .iter()
            .map(|event| (event.at(), encode(event)))
            .collect();
        let noted = std::mem::take(&mut self.noted);
        // The slot is released with the end of the step, but not before it is
        // recorded.
        let begun = self.begun.as_ref().map(|begun| &begun.key);
        let left = self.slot.take_if(|slot| begun != Some(&slot.key));
        let vacated = left.as_ref().map(|slot| (slot.kind, slot.key.clone()));
        let (run, owner) = (self.run().clone(), self.hub().owner.name.clone());
        let (after, summary) = (self.last, summary(&self.state));
        let ended = self.state.ending().is_some();
        let appended = self.hub().journal.change(move |journal| {
            if let Some((kind, key)) = &vacated {
                journal.vacate(kind.word(), key.as_str())?;
            }
            journal.append(&Append {
                run: run.as_str(),
                owner: &owner,
                after,
                events: &events,
                summary: &summary,
                ended,
                noted: &noted,
            })
        });
        self.last = appended.await?.map_err(|_| EngineError::Fenced {
            run: self.run().clone(),
        })?;
        self.announce(after, &recorded);
        drop(left);
        self.document().await;
        Ok(())
    }

    fn announce(&self, after: u64, recorded: &[Event]) {
        if let Some(on_event) = &self.hub().options.on_event {
            for (seq, event) in (after + 1..).zip(recorded) {
                on_event(self.run(), seq, event);
            }
        }
        self.hub().changed();
    }

    /// Writes new handoffs as documents. The journal has them already.
    async fn document(&mut self) {
        let known = std::mem::replace(&mut self.documented, self.state.passed().len());
        if known == self.documented {
            return;
        }
        let (runs, state) = (self.hub().runs.clone(), self.state.clone());
        let written =
            tokio::task::spawn_blocking(move || run_folder::write_handoffs(&runs, &state, known));
        if let Ok(Err(error)) = written.await {
            tracing::warn!(run = %self.run(), %error, "a handoff could not be written to the run's folder");
        }
    }

    /// Releases the run, so that others may drive it.
    async fn release(self) -> Result<(), EngineError> {
        let hub = Arc::clone(self.hub());
        let has_ended = self.state.ending().is_some();
        drop(self);
        // Changes are made in order, so after this one the run is released.
        hub.journal.change(|_| Ok(())).await?;
        if has_ended && hub.is_time_to_forget() {
            hub.forget_old().await?;
        }
        Ok(())
    }

    fn hub(&self) -> &Arc<Hub> {
        &self.guard.hub
    }

    fn run(&self) -> &RunId {
        &self.guard.run
    }

    fn now(&self) -> Timestamp {
        self.hub().now()
    }
}

/// The end of a step that is not running and no longer needed.
fn cancelled(key: Key, at: Timestamp) -> Event {
    Event::Failed {
        key,
        at,
        failure: Failure::new(FailureKind::Cancelled, "the run was cancelled"),
        usage: Usage::default(),
    }
}
