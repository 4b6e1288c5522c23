//! The contract of baton, in one place and with no I/O: the JSON of the three
//! phases and of the pull-request tools, the XML handoffs between agents,
//! references to pull requests, and page cursors.
//!
//! Whatever comes from outside is read by a function that takes bytes or a
//! JSON value and returns either a typed value or *all* its [`Problem`]s.
//!
//! Must not know tokio, files or clocks.

pub mod code_owners;
mod confidence;
pub mod cursor;
pub mod detection;
pub mod diagnostic;
pub mod diff;
mod error_chain;
mod foreign_text;
mod glob;
pub mod handoff;
pub mod json;
mod language;
mod merge_rule;
mod oid;
pub mod phase;
mod pr_reference;
mod problem;
pub mod report;
mod request;
pub mod review;
pub mod sarif;
pub mod schema;
pub mod tools;

pub use confidence::Confidence;
pub use error_chain::{causes, error_chain};
pub use glob::Glob;
pub use language::{Language, UnknownLanguage};
pub use merge_rule::MergeRule;
pub use oid::{Oid, short};
pub use pr_reference::{BadReference, PrReference, Repository};
pub use problem::{Found, Problem, Problems};
pub use request::{Field, FieldKind, Request};
