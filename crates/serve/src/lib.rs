//! Serves baton's tools to connected programs over MCP (`mcp`), on standard input
//! and output or over HTTP (`http`).
//!
//! Operations are passed in as a list; a server knows how to describe, call,
//! question and cancel them, and nothing of what they do.
//!
//! Must not know clap or the terminal.

pub mod http;
pub mod mcp;
