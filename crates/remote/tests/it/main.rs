//! Integration tests of `baton-remote`.

#![expect(
    clippy::unwrap_used,
    reason = "a panic is how a test fails, in its helper functions too"
)]

mod github;
mod http;
