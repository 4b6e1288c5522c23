//! Events as they are stored: JSON, which people can read with `sqlite3`.

use std::sync::Arc;

use baton_state::journal::Entry;
use baton_workflow::{Event, RunId};

use crate::error::EngineError;

pub(crate) fn encode(event: &Event) -> Vec<u8> {
    serde_json::to_vec(event).expect("an event has text for keys and no endless numbers")
}

pub(crate) fn decode(run: &RunId, entry: &Entry) -> Result<Event, EngineError> {
    serde_json::from_slice(&entry.body).map_err(|source| EngineError::Unreadable {
        run: run.clone(),
        seq: entry.seq,
        source: Arc::new(source),
    })
}
