//! Operations that wait for an answer between two calls.
//!
//! Since 2026-07-28 a server asks by ending the call with its question; the
//! client makes the same call again, with the answer. The operation waits here
//! meanwhile, and the state that the client carries is only its unguessable
//! name.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{ErrorData, InputRequiredResult, InputResponses};
use serde_json::Value;

use super::elicitation::Asked;
use super::running::Running;

/// An operation without an answer after this time is cancelled.
const MAX_WAIT: Duration = Duration::from_mins(15);

/// A client that asks for more at once is not a person's.
const MAX_PARKED: usize = 32;

/// The name of the only question in a result.
const KEY: &str = "question";

#[derive(Clone, Default)]
pub(super) struct Parked(Arc<Mutex<BTreeMap<String, Place>>>);

struct Place {
    running: Running,
    asked: Asked,
    key: CallKey,
}

/// What a call has to repeat to resume its operation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallKey {
    pub(super) tool: String,
    pub(super) arguments: Value,
}

impl Parked {
    /// Keeps an operation until its answer comes. Both are returned when there
    /// are too many already; the question is dropped then.
    pub(super) fn park(
        &self,
        running: Running,
        asked: Asked,
        key: CallKey,
    ) -> Result<InputRequiredResult, Box<(Running, CallKey)>> {
        let name = unguessable();
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= MAX_PARKED {
            return Err(Box::new((running, key)));
        }
        let question = result(&name, &asked);
        let place = Place {
            running,
            asked,
            key,
        };
        places.insert(name.clone(), place);
        drop(places);
        let parked = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(MAX_WAIT).await;
            parked.take(&name);
        });
        Ok(question)
    }

    /// Resumes an operation. `Ok(Err(…))` asks again, because the answer was
    /// missing.
    pub(super) fn resume(
        &self,
        name: &str,
        key: &CallKey,
        answers: Option<InputResponses>,
    ) -> Result<Result<Running, InputRequiredResult>, ErrorData> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = places.get(name).filter(|place| place.key == *key);
        let Some(place) = known else {
            return Err(ErrorData::invalid_params(
                "requestState is unknown, expired, or of another call; call again without it",
                None,
            ));
        };
        let Some(answer) = answers.and_then(|mut answers| answers.remove(KEY)) else {
            return Ok(Err(result(name, &place.asked)));
        };
        let place = places.remove(name).expect("it was there just now");
        place.asked.answer_unread(answer);
        Ok(Ok(place.running))
    }

    fn take(&self, name: &str) -> Option<Place> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        places.remove(name)
    }

    /// Cancels all.
    pub(super) fn clear(&self) {
        let places = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        drop(places);
    }
}

fn result(name: &str, asked: &Asked) -> InputRequiredResult {
    let requests = BTreeMap::from([(KEY.to_owned(), asked.as_input_request())]);
    InputRequiredResult::new(Some(requests), Some(name.to_owned()))
}

fn unguessable() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes.iter().fold(String::new(), |mut name, byte| {
        write!(name, "{byte:02x}").expect("a string takes all text");
        name
    })
}
