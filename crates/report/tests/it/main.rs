//! Tests the parsers with random output. Captured output is in `tests/captured.rs`.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests read case files, and a panic is how they fail"
)]

mod diagnostics;
mod disorder;
mod hostile;
