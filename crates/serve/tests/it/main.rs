//! Tests of the MCP server over standard streams and HTTP.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests start other programs and say which peers they lack; a panic is how they fail"
)]

mod calls;
mod client;
mod conformance;
mod durable;
mod http;
mod protocol;
mod questions;
mod rmcp_client;
mod tasks;
mod tools;
