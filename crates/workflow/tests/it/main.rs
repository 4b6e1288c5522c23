//! Tests of the state machine.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, also in the functions it calls"
)]

mod every_event;
mod format;
mod journeys;
mod limits;
mod properties;
mod samples;
