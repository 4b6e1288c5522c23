//! A real forge on a free port, asked over HTTP and with the real git.

#![expect(
    clippy::unwrap_used,
    reason = "a panic is how a test fails, in its helper functions too"
)]

mod checks;
mod edge;
mod git_data;
mod issues;
mod repositories;
mod search;
mod smart_http;
mod users;
mod webhooks;
mod world;
