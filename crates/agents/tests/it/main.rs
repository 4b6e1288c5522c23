//! The agents on a local forge, with real git and scripted coding agents.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, also in the functions it calls"
)]

mod clean_up;
mod closer;
mod fixer;
mod implementer;
mod issue_manager;
mod prep;
mod rehearsal;
mod reviewer;
mod stage;
mod validator;
mod whole_run;
