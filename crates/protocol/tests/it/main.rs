#![expect(
    clippy::unwrap_used,
    reason = "a panic is how a test says that something went wrong"
)]

mod contract;
mod cursors;
mod json_text;
mod peers;
mod references;
