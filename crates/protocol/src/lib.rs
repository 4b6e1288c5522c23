//! The contract of baton, in one place and with no I/O: the JSON of the three
//! phases and of the pull-request tools, the XML handoffs between agents,
//! references to pull requests, and page cursors.
//!
//! Whatever comes from outside is read by a function that takes bytes or a
//! JSON value and returns either a typed value or *all* its [`Problem`]s.
//!
//! Must not know tokio, files or clocks.

pub mod detection;
pub mod handoff;
mod language;
mod problem;

pub use language::Language;
pub use problem::{Found, Problem, Problems};
