//! How long something took, by a clock that cannot be set.

use std::fs;
use std::time::{Duration, Instant};

pub(crate) struct Stopwatch {
    started: Instant,
    /// Where the system has it: this clock keeps running while the machine
    /// sleeps.
    since_boot: Option<Duration>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self {
            started: Instant::now(),
            since_boot: since_boot(),
        }
    }

    /// At least a millisecond, so that it differs from a duration that was not measured.
    pub(crate) fn elapsed_ms(&self) -> u64 {
        let slept = since_boot()
            .zip(self.since_boot)
            .and_then(|(now, then)| now.checked_sub(then));
        let elapsed = self.started.elapsed().max(slept.unwrap_or_default());
        u64::try_from(elapsed.as_millis())
            .unwrap_or(u64::MAX)
            .max(1)
    }
}

/// The first number of Linux's `/proc/uptime`, in hundredths of a second.
fn since_boot() -> Option<Duration> {
    let text = fs::read_to_string("/proc/uptime").ok()?;
    let seconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}
