//! The operations as their callers use them.

#![expect(
    clippy::unwrap_used,
    reason = "a panic is how a test fails, in its helper functions too"
)]

mod pr;
mod pulls;
