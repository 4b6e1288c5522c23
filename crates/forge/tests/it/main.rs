//! A real forge on a free port, asked over HTTP and with the real git.

#![expect(
    clippy::unwrap_used,
    reason = "a panic is how a test fails, in its helper functions too"
)]

mod checks;
mod durability;
mod edge;
mod gh;
mod git_data;
mod graphql;
mod issues;
mod pages;
mod process;
mod pulls;
mod repositories;
mod root;
mod search;
mod smart_http;
mod timeline;
mod users;
mod webhooks;
mod world;
