//! How long several calls may wait together for quotas and servers.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What is left of the time that a caller can wait. A call whose pause would be longer fails at once
/// and says when to try again.
#[derive(Debug)]
pub struct WaitLimit(Mutex<Duration>);

impl WaitLimit {
    pub fn new(all: Duration) -> Self {
        Self(Mutex::new(all))
    }

    pub(super) fn left(&self) -> Duration {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn spend(&self, pause: Duration) {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.saturating_sub(pause);
    }
}
