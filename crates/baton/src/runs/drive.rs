//! Drives a run in this process, with or without a person watching.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::time::Duration;

use baton_agents::AgentSteps;
use baton_engine::{Activity, Engine, EngineError, Options, RunOutcome, Until};
use baton_workflow::{Command, Ending, Event, RunId, State, apply, next};
use jiff::Timestamp;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::activity::{ActivityLog, Said};
use super::answering;
use super::describe::describe;
use super::notify::Notify;
use super::places;
use super::question;
use super::view::{View, Watching};
use super::{RunPlaces, failed, state_folder};
use crate::acceptances::Expiry;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::session::Session;
use crate::terminal::Look;

/// An engine whose runs this process drives, and what happens in them.
pub(crate) struct Driving {
    pub(crate) engine: Engine,
    events: mpsc::UnboundedReceiver<(RunId, Event)>,
    activity: broadcast::Receiver<Activity>,
    session: Session,
}

/// How a run is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DriveOptions {
    pub(crate) watching: Watching,
    pub(crate) questions: Questions,
}

/// What becomes of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Questions {
    /// A person at this terminal may answer.
    AskHere,
    /// They end driving, unless the run finds out by itself whether it can go
    /// on.
    Stop,
    /// They end driving.
    GiveUp,
    /// The answer may come from elsewhere, however long it takes.
    Wait,
}

impl DriveOptions {
    /// For the caller, who may be a person or a program.
    pub(crate) fn for_caller() -> Self {
        let watching = Watching::for_stderr();
        let is_person = watching == Watching::Live && io::stdin().is_terminal();
        Self {
            watching,
            questions: if is_person {
                Questions::AskHere
            } else {
                Questions::Stop
            },
        }
    }
}

/// How driving has ended.
#[derive(Debug)]
pub(crate) enum DriveOutcome {
    Ended(Box<State>),
    Asks(Box<State>),
}

impl DriveOutcome {
    pub(crate) fn state(&self) -> &State {
        match self {
            Self::Ended(state) | Self::Asks(state) => state,
        }
    }

    pub(crate) fn into_state(self) -> State {
        match self {
            Self::Ended(state) | Self::Asks(state) => *state,
        }
    }

    /// What the process answers.
    pub(crate) fn exit(&self) -> Exit {
        exit_of(self.state())
    }
}

/// What a process answers whose run stands like this.
pub(crate) fn exit_of(state: &State) -> Exit {
    match state.ending() {
        Some(Ending::Closed | Ending::Reached { .. }) => Exit::Done,
        Some(Ending::Failed { .. } | Ending::Cancelled { .. }) => Exit::Failed,
        None => Exit::NeedsAnswer,
    }
}

/// Signs of life on a terminal.
const TICK: Duration = Duration::from_millis(120);

impl Driving {
    pub(crate) async fn open(session: &Session) -> Result<Self, CommandError> {
        let (send, events) = mpsc::unbounded_channel();
        let mut options = Options::new(state_folder(session)?);
        options.on_event = Some(Arc::new(move |run: &RunId, _, event: &Event| {
            // No one listens any more when the process ends.
            let _ = send.send((run.clone(), event.clone()));
        }));
        let crew = AgentSteps::new(RunPlaces::new(session));
        let engine = Engine::open(options, Arc::new(crew))
            .await
            .map_err(|error| failed(&error))?;
        Ok(Self {
            activity: engine.activity(),
            engine,
            events,
            session: session.clone(),
        })
    }

    /// Drives the run until it ends or asks. When it is cancelled, the run stays
    /// as it is.
    pub(crate) async fn drive(
        &mut self,
        run: &RunId,
        options: DriveOptions,
        cancel: &CancellationToken,
    ) -> Result<DriveOutcome, CommandError> {
        let mut watch = self.watch(run, options.watching).await?;
        watch.view.open(&watch.state);
        for text in places::differences(&watch.state.start().goal, &self.session) {
            watch.view.note(&text);
        }
        let outcome = loop {
            let outcome = tokio::select! {
                biased;
                () = cancel.cancelled() => break Err(stopped(run)),
                outcome = self.until_question(run, &mut watch, options.questions) => outcome,
            };
            watch.view.pause();
            let state = match outcome {
                Err(error) => break Err(failed(&error)),
                Ok(DriveOutcome::Asks(state)) if options.questions == Questions::AskHere => state,
                Ok(outcome) => break Ok(outcome),
            };
            let question = state.question().cloned();
            let Some(question) = question else {
                break Ok(DriveOutcome::Asks(state));
            };
            question::show_question(run, &question, watch.look);
            let answer = tokio::select! {
                () = cancel.cancelled() => break Err(stopped(run)),
                answer = question::ask(&question) => answer,
            };
            let Some(answer) = answer else {
                break Ok(DriveOutcome::Asks(state));
            };
            let (engine, expiry) = (&self.engine, Expiry::default());
            let answered = answering::answer(engine, run, answer, expiry, &self.session, cancel);
            if let Err(error) = answered.await {
                break Err(error);
            }
        };
        watch.view.pause();
        // Notifications of the end are sent before we go.
        watch.told.join_all().await;
        if let Ok(DriveOutcome::Ended(state)) = &outcome {
            watch.view.close(state);
        }
        outcome
    }

    async fn watch(&mut self, run: &RunId, watching: Watching) -> Result<Watch, CommandError> {
        let state = self
            .engine
            .state(run)
            .await
            .map_err(|error| failed(&error))?;
        // Of what is in the state already.
        while self.events.try_recv().is_ok() {}
        let config = self.session.config()?;
        let look = Look::for_stderr(&self.session.environment);
        Ok(Watch {
            state,
            look,
            view: View::new(watching, look),
            log: ActivityLog::open(&self.engine.run_folder(run)),
            notify: Notify::from_config(&config, &self.session),
            told: JoinSet::new(),
        })
    }

    async fn until_question(
        &mut self,
        run: &RunId,
        watch: &mut Watch,
        questions: Questions,
    ) -> Result<DriveOutcome, EngineError> {
        loop {
            // What blocks a run may pass by itself; then it is not to be left.
            let looks_again = watch.state.question().is_some() && !needs_a_person(&watch.state);
            let until = match questions {
                Questions::Wait => Until::Ended,
                Questions::AskHere | Questions::Stop if looks_again => Until::Ended,
                Questions::AskHere | Questions::Stop | Questions::GiveUp => Until::Question,
            };
            let Some(driven) = self.driven(run, watch, questions, until).await? else {
                return Ok(DriveOutcome::Asks(Box::new(watch.state.clone())));
            };
            let state = Box::new(watch.state.clone());
            match driven {
                RunOutcome::Ended(_) => return Ok(DriveOutcome::Ended(state)),
                RunOutcome::Waiting(_)
                    if questions == Questions::GiveUp || needs_a_person(&state) =>
                {
                    return Ok(DriveOutcome::Asks(state));
                }
                RunOutcome::Waiting(_) => {}
            }
        }
    }

    /// Drives with a person watching. `None`: the run asks, and is not driven any
    /// more.
    async fn driven(
        &mut self,
        run: &RunId,
        watch: &mut Watch,
        questions: Questions,
        until: Until,
    ) -> Result<Option<RunOutcome>, EngineError> {
        let engine = self.engine.clone();
        let driven = engine.drive(run, until);
        tokio::pin!(driven);
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                biased;
                Some((of, event)) = self.events.recv() => {
                    if of == *run {
                        watch.event(&event, run, &engine).await?;
                    }
                    if matches!(event, Event::Asked { .. })
                        && until == Until::Ended
                        && questions != Questions::Wait
                        && needs_a_person(&watch.state)
                    {
                        return Ok(None);
                    }
                }
                said = self.activity.recv() => match said {
                    Ok(activity) if activity.run == *run => watch.activity(&activity),
                    // Of another process, or more than anyone reads.
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return Err(EngineError::Stopped),
                },
                outcome = &mut driven => {
                    let outcome = outcome?;
                    while let Ok((_, event)) = self.events.try_recv() {
                        watch.event(&event, run, &engine).await?;
                    }
                    return Ok(Some(outcome));
                }
                _ = ticks.tick() => watch.view.tick(&watch.state),
            }
        }
    }
}

/// Asks, and will not find out by itself whether it can go on.
pub(crate) fn needs_a_person(state: &State) -> bool {
    state.question().is_some()
        && !next(state)
            .iter()
            .any(|command| matches!(command, Command::Sleep { .. }))
}

/// The run as it is watched.
struct Watch {
    state: State,
    look: Look,
    view: View,
    log: ActivityLog,
    notify: Notify,
    told: JoinSet<()>,
}

impl Watch {
    async fn event(
        &mut self,
        event: &Event,
        run: &RunId,
        engine: &Engine,
    ) -> Result<(), EngineError> {
        // Another process may have driven it in between.
        self.state = match apply(self.state.clone(), event) {
            Ok(state) => state,
            Err(_) => engine.state(run).await?,
        };
        self.view.event(event, &self.state);
        let is_news = matches!(event, Event::Asked { .. }) || self.state.ending().is_some();
        if is_news {
            let notify = self.notify.clone();
            let workflow = describe(&self.state, true);
            self.told.spawn(async move { notify.tell(&workflow).await });
        }
        Ok(())
    }

    fn activity(&mut self, activity: &Activity) {
        self.log.say(&Said {
            at: Timestamp::now(),
            key: activity.key.within_run().to_owned(),
            text: activity.text.clone(),
        });
        // What is recorded is shown with its event, and is not what the step does.
        if !activity.is_recorded {
            self.view.activity(&activity.text, &self.state);
        }
    }
}

fn stopped(run: &RunId) -> CommandError {
    CommandError::interrupted().hint(format!(
        "The run stays as it is: `baton resume {run}` goes on, `baton cancel {run}` ends it."
    ))
}
