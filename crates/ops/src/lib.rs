//! The operations that people, agents and the pipeline share. Each has one
//! shape: typed input in, typed output out, events on the way.
//!
//! Must not know the engine, MCP, an HTTP server or clap.

pub mod pr;
pub mod pulls;
mod command_line;
pub mod question;
pub mod testing;
pub mod validation;
