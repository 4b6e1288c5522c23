//! Time and randomness, passed in so that tests are fast and deterministic.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;

type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The client's clock, and the randomness that spreads its retries.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    sleep: Arc<dyn Fn(Duration) -> Sleep + Send + Sync>,
    chance: Arc<dyn Fn() -> f64 + Send + Sync>,
}

impl Clock {
    /// The system's time, and randomness that differs from process to process.
    pub fn system() -> Self {
        // A hasher with random keys is the standard library's only source of
        // randomness.
        let random = RandomState::new();
        let drawn = AtomicU64::new(0);
        Self::new(
            Timestamp::now,
            |pause| Box::pin(tokio::time::sleep(pause)),
            move || fraction(random.hash_one(drawn.fetch_add(1, Ordering::Relaxed))),
        )
    }

    /// `chance` returns numbers from 0 up to but not including 1.
    pub fn new(
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
        sleep: impl Fn(Duration) -> Sleep + Send + Sync + 'static,
        chance: impl Fn() -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            now: Arc::new(now),
            sleep: Arc::new(sleep),
            chance: Arc::new(chance),
        }
    }

    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    pub(super) async fn sleep(&self, pause: Duration) {
        (self.sleep)(pause).await;
    }

    pub(super) fn chance(&self) -> f64 {
        (self.chance)()
    }
}

/// The upper bits of `number` as a fraction of one.
fn fraction(number: u64) -> f64 {
    f64::from((number >> 32) as u32) / (f64::from(u32::MAX) + 1.0)
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").finish_non_exhaustive()
    }
}
