//! Reads what test runners, compilers and linters print, and the files they
//! write for machines, into counts and failures.
//!
//! ```text
//! bytes ─▶ lines ─▶ ci (timestamps, steps) ─▶ formats (state machines) ─▶ sessions ─▶ arbiter ─▶ TestReport
//!   └────▶ documents (XML, JSON: a whole file) ──────────────────────────────▲
//! ```
//!
//! Text is read in one pass and in bounded memory: a line at a time, each
//! format seeing only the lines that wake it and those of the session it is
//! in. Nothing here fails or panics, whatever the bytes are; what cannot be
//! understood is left out, and what is uncertain says so by its confidence.
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
mod place;
mod reader;
mod session;
mod steps;
mod tail;
mod words;

pub use live::{Live, Progress};
pub use reader::{Reader, looks_like_a_document, plain_text, read};
