//! Drives runs of the workflow durably, several at once and in several processes,
//! and the coding agents that work in them.
//!
//! An [`Engine`] writes every event of a run to the journal before it acts on it.
//! If the process dies, another one replays the events and resumes the run under
//! the same keys. What the steps do is passed in as [`Steps`].
//!
//! Must not know ops, MCP or clap.

mod acceptance;
pub mod agent;
mod background;
mod driver;
mod engine;
mod error;
mod follow;
mod hub;
mod inbox;
mod journal;
mod owner;
mod people;
mod random;
mod run_folder;
mod run_guard;
mod slots;
mod steps;
mod stopwatch;
mod supervise;
mod waiting;

pub use acceptance::{Acceptance, AcceptanceWriter, Acceptances, read_acceptances};
pub use driver::RunOutcome;
pub use engine::{Concurrency, Engine, Kept, OnEvent, Options, RunSummary, Until};
pub use error::EngineError;
pub use follow::{Follower, Recorded};
pub use people::PEOPLE_KEY_NAME;
pub use steps::{Activity, StepCall, StepContext, StepFuture, StepResult, Steps};
