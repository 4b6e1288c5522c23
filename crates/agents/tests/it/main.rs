//! The agents on a local forge, with real git and scripted coding agents.

mod clean_up;
mod closer;
mod implementer;
mod issue_manager;
mod prep;
mod stage;
