//! A real forge on a free port, asked over HTTP and with the real git.

#![expect(
    clippy::unwrap_used,
    reason = "a panic is how a test fails, in its helper functions too"
)]
#![expect(
    clippy::format_push_string,
    clippy::needless_pass_by_value,
    clippy::unused_self,
    reason = "tests are read more often than they are waited for"
)]

mod checks;
mod contract;
mod durability;
mod gh;
mod git_data;
mod graphql;
mod issues;
mod middleware;
mod pages;
mod private;
mod process;
mod pulls;
mod repositories;
mod root;
mod search;
mod smart_http;
mod users;
mod webhooks;
mod world;
