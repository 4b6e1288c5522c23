//! Tests the parsers with captured, truncated and random output.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests read case files, and a panic is how they fail"
)]

mod cases;
mod cut_off;
mod diagnostics;
mod hostile;
