//! Applies events to a state, and refuses those that are illegal in it.

use std::sync::Arc;

use crate::event::Event;
use crate::outcome::FailureKind;
use crate::state::{Ending, Position, State};

/// The event cannot happen in this state. A journal with one is damaged or has
/// another format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the event `{event}` cannot happen while the run is {status}{}", Because(.because.as_deref()))]
pub struct IllegalEvent {
    pub event: &'static str,
    pub status: &'static str,
    pub because: Option<String>,
}

struct Because<'a>(Option<&'a str>);

impl std::fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(because) => write!(f, ": {because}"),
            None => Ok(()),
        }
    }
}

/// Computes the state that a run's events lead to. The first event must be its
/// creation.
pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<State, IllegalEvent> {
    let mut events = events.into_iter();
    let state = match events.next() {
        Some(Event::Created { at, start }) => State::begin(Arc::new((**start).clone()), *at),
        first => {
            return Err(IllegalEvent {
                event: first.map_or("nothing", Event::word),
                status: "not created",
                because: None,
            });
        }
    };
    events.try_fold(state, apply)
}

/// Applies an event to a state.
pub fn apply(mut state: State, event: &Event) -> Result<State, IllegalEvent> {
    let status = state.status().word();
    let illegal = |because: Option<String>| IllegalEvent {
        event: event.word(),
        status,
        because,
    };
    let can_be_cancelled = state.can_be_cancelled();
    state.changed = event.at();
    // Every arm below sets a new position or drops the state.
    let position = std::mem::replace(&mut state.position, Position::Ended(Ending::Closed));
    match (position, event) {
        (Position::Ready(task), Event::Started { key, at }) if task.key == *key => {
            state.position = Position::Running { task, since: *at };
        }
        (Position::Running { task, .. }, Event::Started { key, at }) if task.key == *key => {
            state.interrupted(task, *at);
        }
        (
            Position::Running { task, since },
            Event::Finished {
                key,
                at,
                report,
                usage,
            },
        ) if task.key == *key => {
            let route = state
                .route(task.step, report)
                .map_err(|rejection| illegal(Some(rejection.to_string())))?;
            state.account(since, *at, usage);
            state.finished(task, *at, report, route);
        }
        (
            Position::Running { task, since },
            Event::Failed {
                key,
                at,
                failure,
                usage,
            },
        ) if task.key == *key => {
            if failure.kind == FailureKind::Cancelled && !state.is_cancelling() {
                return Err(illegal(Some("no one cancelled it".to_owned())));
            }
            state.account(since, *at, usage);
            state.failed(task, *at, failure);
        }
        (Position::Resting { task, .. }, Event::Woke { key, .. }) if task.timer() == *key => {
            state.proceed(task.again());
        }
        (Position::Asking(asking), Event::Woke { key, .. })
            if asking.recheck.is_some() && asking.timer() == *key =>
        {
            state.proceed(asking.task.again());
        }
        (Position::Asking(mut asking), Event::Asked { key, .. })
            if asking.question.key == *key && !asking.known =>
        {
            asking.known = true;
            state.position = Position::Asking(asking);
        }
        (Position::Asking(asking), Event::Answered { key, answer, .. })
            if asking.question.key == *key && asking.question.offers(answer.choice) =>
        {
            state.answered(*asking, answer);
        }
        (position, Event::CancelRequested { reason, .. }) if can_be_cancelled => {
            state.cancelling = Some(reason.clone());
            match position {
                Position::Running { .. } => state.position = position,
                _ => state.clean_up(Ending::cancelled(reason.as_str())),
            }
        }
        (Position::Ended(_), Event::Noticed { .. }) => return Err(illegal(None)),
        (position, Event::Noticed { .. }) => state.position = position,
        _ => return Err(illegal(None)),
    }
    Ok(state)
}
