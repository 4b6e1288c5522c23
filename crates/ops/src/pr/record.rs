//! What is under way, so that a call which was cut off is taken up.

use std::fmt::Write as _;

use baton_protocol::phase::pr::PrInput;
use baton_state::State;
use baton_state::operations::Operation;
use jiff::Timestamp;

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

    /// The status that the issue was about to be moved to, when that was noted.
    pub(super) fn target_status(&self) -> Option<&str> {
        let notes = self.operation.notes.as_str();
        (!notes.is_empty()).then_some(notes)
    }

    pub(super) fn note_target_status(&mut self, status: &str) {
        status.clone_into(&mut self.operation.notes);
        if let Some(state) = &mut self.state
            && let Err(error) = state.note_operation(&self.operation.key, status)
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

/// Differs from call to call; that nobody can guess it does not matter.
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
