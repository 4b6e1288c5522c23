//! The agents on a local forge, with real git and scripted coding agents.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, also in the functions it calls"
)]

mod clean_up;
mod closer;
mod coverage;
mod crashes;
mod cut_off;
mod environments;
mod faults;
mod fixer;
mod forgeries;
mod ground;
mod implementer;
mod issue_manager;
mod merge_queue;
mod people;
mod prep;
mod prompts;
mod rehearsal;
mod reviewer;
mod side_by_side;
mod stage;
mod tending;
mod theatre;
mod validator;
mod whole_run;
