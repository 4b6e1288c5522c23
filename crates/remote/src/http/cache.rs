//! Answers kept on disk, so that asking again for what has not changed costs
//! no quota.

use std::sync::{Arc, Mutex};

use baton_state::State;

/// Where answers are kept.
#[derive(Clone, Debug)]
pub struct Cache {
    state: Arc<Mutex<State>>,
}

impl Cache {
    pub fn new(state: State) -> Self {
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }
}
