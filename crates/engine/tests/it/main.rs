//! Tests of the engine: runs, crashes, ownership and agents.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, also in the functions it calls"
)]

mod agent;
mod crashes;
mod driving;
mod ownership;
mod people;
mod scripted;
mod slots;
