//! What is in progress, so that the next call resumes an interrupted one.

use std::fmt::Write as _;

use baton_protocol::phase::pr::PrInput;
use baton_state::State;
use baton_state::operations::Operation;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::place::Place;

const KIND: &str = "pull request";

/// The operation's key, which marks the pull request, and where it is kept.
pub(super) struct Record {
    operation: Operation,
    /// `None`: only this process knows of it.
    state: Option<State>,
}

impl Record {
    pub(super) fn begin(state: Option<State>, input: &PrInput, place: &Place) -> Self {
        let new_key = new_key();
        let base = place.base.as_ref();
        let repository = base.map_or_else(String::new, |home| {
            format!("{}/{}", home.host, home.repository)
        });
        let subject = format!("{repository} {}...{}", input.base_branch, input.branch);
        let begun = state.map(|mut state| {
            let begun = state.begin_operation(KIND, &subject, &new_key, Timestamp::now());
            (state, begun)
        });
        match begun {
            Some((state, Ok(operation))) => Self {
                operation,
                state: Some(state),
            },
            other => {
                if let Some((_, Err(error))) = other {
                    tracing::warn!(%error, "a crash from here on would not be recognised");
                }
                let operation = Operation {
                    key: new_key,
                    notes: String::new(),
                    resumed: false,
                };
                Self {
                    operation,
                    state: None,
                }
            }
        }
    }

    pub(super) fn is_resumed(&self) -> bool {
        self.operation.resumed
    }

    /// What a pull request that this operation made has in its text. People do
    /// not see it.
    pub(super) fn marker(&self) -> String {
        format!("<!-- baton:{} -->", self.operation.key)
    }

    /// Whether this operation moved the issue to where it is now, in a call
    /// that did not live to say so.
    pub(super) fn has_moved_to(&self, status: &str) -> bool {
        let Ok(noted) = serde_json::from_str::<Value>(&self.operation.notes) else {
            return false;
        };
        match (noted["to"].as_str(), noted["from"].as_str()) {
            (Some(to), _) => to == status,
            // Where the transition leads was not told; away from there.
            (None, Some(from)) => from != status,
            (None, None) => false,
        }
    }

    /// Before the issue is moved from one status to another, which is not
    /// always told.
    pub(super) fn note_move(&mut self, from: &str, to: Option<&str>) {
        self.operation.notes = json!({ "from": from, "to": to }).to_string();
        if let Some(state) = &mut self.state
            && let Err(error) = state.note_operation(&self.operation.key, &self.operation.notes)
        {
            tracing::warn!(%error, "a crash from here on would not be recognised");
        }
    }

    /// Nothing is outstanding.
    pub(super) fn finish(mut self) {
        if let Some(state) = &mut self.state
            && let Err(error) = state.finish_operation(&self.operation.key)
        {
            tracing::warn!(%error, "the finished operation stays on record");
        }
    }
}

/// Differs from call to call; it need not be hard to guess.
fn new_key() -> String {
    let mut bytes = [0; 12];
    if getrandom::fill(&mut bytes).is_err() {
        bytes[..8].copy_from_slice(&Timestamp::now().as_microsecond().to_le_bytes());
        bytes[8..].copy_from_slice(&std::process::id().to_le_bytes());
    }
    bytes.iter().fold(String::new(), |mut key, byte| {
        write!(key, "{byte:02x}").expect("a string takes it");
        key
    })
}
