//! The contract of baton, in one place and with no I/O: the JSON of the three
//! phases and of the pull-request tools, the XML handoffs between agents,
//! references to pull requests, and page cursors.
//!
//! Whatever comes from outside is read by a function that takes bytes or a
//! JSON value and returns either a typed value or *all* its [`Problem`]s.
//!
//! Must not know tokio, files or clocks.

mod confidence;
pub mod cursor;
pub mod detection;
pub mod diagnostic;
mod foreign_text;
pub mod handoff;
pub mod json;
mod language;
mod object_reader;
pub mod phase;
mod pr_reference;
mod problem;
pub mod report;
pub mod review;
pub mod schema;
pub mod tools;

pub use confidence::Confidence;
pub use language::{Language, UnknownLanguage};
pub use pr_reference::{BadReference, PrReference, Repository};
pub use problem::{Found, Problem, Problems};
