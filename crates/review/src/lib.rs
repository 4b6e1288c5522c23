//! Reviews changed files: bytes in, findings out.
//!
//! ```text
//! bytes ─▶ source (guards, tree-sitter) ─┬─▶ lower ─▶ ir ─▶ taint ──▶ findings
//!                                        ├─▶ pattern ───────────────▶ findings
//!                                        └─▶ quality ───────────────▶ findings
//! bytes ─▶ secrets ──────────────────────────────────────────────────▶ findings
//! base and head of all files ─▶ tamper ──────────────────────────────▶ findings
//! SARIF of other scanners ───────────────────────────────────────────▶ findings
//! findings ─▶ suppress ─▶ touched lines, threshold ─▶ baseline, SARIF
//! ```
//!
//! Each file is judged by itself, in bounded time and memory, whatever its
//! bytes are; what is not reviewed gets a [`Note`] that says why. Only
//! tampering is looked for over the whole change, because honest refactorings
//! move tests between files. Findings are only given on lines the change
//! touched, unless asked otherwise.
//!
//! # Adding a rule
//!
//! A rule is a TOML file below `rules/<language>/` (or below another folder
//! with `languages = […]` inside); its id is its path without the extension.
//! The build lists the folder, so nothing else is edited. See [`rules`] for
//! what a file may say. Every rule carries `[[bad]]` and `[[good]]` code, and
//! the tests hold it to both.
//!
//! Must not know git, files, the network, processes or clocks.

mod backtracking;
mod baseline;
mod broken;
mod budget;
mod engine;
mod explained;
mod finding;
mod ir;
mod language;
mod lower;
mod pattern;
mod quality;
mod quoted;
mod report;
pub mod rules;
pub mod sarif;
pub mod secrets;
mod source;
mod suppress;
mod syntax;
mod taint;
mod tamper;
mod tree_index;

pub use baseline::{Baseline, BaselineError};
pub use budget::StopFlag;
pub use engine::{
    ChangedFile, Note, Options, Review, Touched, UnusedSuppression, review, review_with,
};
pub use explained::{Explained, every_explanation};
pub use finding::{Finding, Kind, Place, Severity, Step, short_id};
pub use language::Language;
pub use quoted::{Claim, Judged, Rejection, accept_quoted};
pub use report::fingerprint_of;
pub use source::Unread;
pub use tamper::{Off, TestCase, test_cases};
