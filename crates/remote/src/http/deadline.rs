//! How long a call and its attempts may take.

use std::time::Duration;

use tokio::time::Instant;

use super::failure::{Failure, Phase};

/// When a call has to be done, with all its attempts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    at: Instant,
    length: Duration,
}

/// When an attempt times out, and which limit that is.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimit {
    pub(super) at: Instant,
    length: Duration,
    overall: bool,
}

impl Deadline {
    pub(super) fn after(length: Duration) -> Self {
        Self {
            at: later(length),
            length,
        }
    }

    pub(super) fn left(&self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    /// For something that starts now and may take `length`, but not beyond the
    /// deadline.
    pub(super) fn limit(&self, length: Duration) -> TimeLimit {
        let at = later(length);
        if at < self.at {
            TimeLimit {
                at,
                length,
                overall: false,
            }
        } else {
            self.whole()
        }
    }

    /// The deadline itself.
    pub(super) fn whole(&self) -> TimeLimit {
        TimeLimit {
            at: self.at,
            length: self.length,
            overall: true,
        }
    }
}

impl TimeLimit {
    pub(super) fn exceeded(self, phase: Phase) -> Failure {
        Failure::Timeout {
            phase: if self.overall { Phase::Overall } else { phase },
            limit: self.length,
        }
    }
}

/// A length that no clock can express means that there is no limit.
fn later(length: Duration) -> Instant {
    const NEVER: Duration = Duration::from_hours(24 * 365);
    let now = Instant::now();
    now.checked_add(length).unwrap_or_else(|| now + NEVER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_overflow_the_clock_are_no_error() {
        let deadline = Deadline::after(Duration::MAX);
        assert!(deadline.left() > Duration::from_hours(24));
        assert!(deadline.limit(Duration::MAX).at > Instant::now());
    }
}
