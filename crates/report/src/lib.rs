//! Parses the output of test runners, compilers and linters, and the report
//! files they write, into counts and failures.
//!
//! ```text
//! bytes ─▶ lines ─▶ ci (timestamps, steps) ─▶ text (state machines) ─▶ sessions ─▶ arbiter ─▶ TestReport
//!   ├────▶ documents (XML, JSON: a whole file) ───────────────────────────▲
//!   └────▶ diagnostics (what a linter, formatter or compiler printed) ─▶ Diagnostic
//! ```
//!
//! What can be read of a tool is in its file or folder below `tools`, and
//! `tools::TOOLS` lists them all. Text is read in one pass and in bounded memory,
//! one line at a time; each tool receives only the lines that wake it and those of
//! its current session.
//! Nothing here fails or panics on any input; what cannot be parsed is skipped,
//! and uncertain results have a lower confidence.
//!
//! Must not know processes, files or the network.

mod arbiter;
pub mod cases;
mod ci;
mod console;
pub mod diagnostics;
mod documents;
mod excerpt;
mod json;
mod lines;
mod live;
mod matcher;
mod output;
mod place;
mod reader;
mod session;
mod stack;
mod steps;
mod tail;
mod tally;
mod text;
mod tools;
mod totals;
mod xml;

pub use live::{Live, Progress};
pub use reader::{Reader, looks_like_a_document, plain_text, read};
