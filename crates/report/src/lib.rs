//! Parses the output of test runners, compilers and linters, and the report
//! files they write, into counts and failures.
//!
//! ```text
//! bytes ─▶ lines ─▶ ci (timestamps, steps) ─▶ formats (state machines) ─▶ sessions ─▶ arbiter ─▶ TestReport
//!   └────▶ documents (XML, JSON: a whole file) ──────────────────────────────▲
//! ```
//!
//! Text is read in one pass and in bounded memory, one line at a time. Each
//! format receives only the lines that wake it and those of its current session.
//! Nothing here fails or panics on any input; what cannot be parsed is skipped,
//! and uncertain results have a lower confidence.
//!
//! Must not know processes, files or the network.

mod arbiter;
pub mod cases;
mod ci;
pub mod diagnostics;
mod documents;
mod excerpt;
mod format;
mod formats;
mod lines;
mod live;
mod matcher;
mod place;
mod reader;
mod session;
mod steps;
mod tail;

pub use live::{Live, Progress};
pub use reader::{Reader, looks_like_a_document, plain_text, read};
