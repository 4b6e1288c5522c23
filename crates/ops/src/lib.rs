//! The operations that people, agents and the pipeline share. Each has one
//! shape: typed input in, typed output out, events on the way.
//!
//! Must not know the engine, MCP, an HTTP server or clap.

mod command_line;
pub mod pr;
pub mod pulls;
pub mod question;
pub mod testing;
pub mod validation;

pub use baton_report::plain_text;
