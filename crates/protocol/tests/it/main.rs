#![expect(
    clippy::unwrap_used,
    reason = "a panic is how a test says that something went wrong"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests read case files, run real peers, and say loudly which they lack"
)]

mod contract;
mod cursors;
mod handoff;
mod json_text;
mod peers;
mod references;
