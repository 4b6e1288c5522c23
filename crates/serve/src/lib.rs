//! What baton offers to programs that stay connected: the tools, over MCP
//! (`mcp`), on standard input and output or over HTTP (`http`).
//!
//! Operations are handed in as a list; a server knows how to describe, call,
//! question and cancel them, and nothing of what they do.
//!
//! Must not know clap or the terminal.

pub mod http;
pub mod mcp;
