//! The integration tests of the state crate.

#![expect(
    clippy::unwrap_used,
    reason = "a panic is how a test fails, in its helper functions too"
)]

mod acceptances;
mod child;
mod concurrency;
mod crash;
mod history;
mod journal;
mod model;
mod opening;
mod operations;
mod permissions;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use baton_state::StateError;
use baton_state::history::{Observation, Outcome};
use jiff::Timestamp;

fn passed(test: &str) -> Observation {
    Observation {
        test: test.to_owned(),
        outcome: Outcome::Passed,
        duration: None,
    }
}

fn failed(test: &str) -> Observation {
    Observation {
        outcome: Outcome::Failed,
        ..passed(test)
    }
}

fn taking(milliseconds: u64, observation: Observation) -> Observation {
    Observation {
        duration: Some(Duration::from_millis(milliseconds)),
        ..observation
    }
}

/// A moment some minutes into the same morning.
fn minute(minutes: i64) -> Timestamp {
    Timestamp::from_second(1_900_000_000 + 60 * minutes).unwrap()
}

/// The whole message with its causes, and `folder` called STATE.
fn message(error: &StateError, folder: &Path) -> String {
    let mut lines = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        lines.push(format!("because: {error}"));
        cause = error.source();
    }
    lines
        .join("\n")
        .replace(&folder.display().to_string(), "STATE")
}
