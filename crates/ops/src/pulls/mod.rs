//! The pull-request tools: what is asked about a pull request, answered from
//! GitHub, from git and from CI.
//!
//! One tool per folder, all of the same shape: fetch what is needed, side by
//! side; judge it with functions that know no network; give the output of the
//! contract. "The tool supplies facts and commands; the agent judges."

mod areas;
mod breaking;
mod change;
mod ci_check;
mod desk;
mod failing_tests;
mod gh;
mod impact;
mod merge_conflicts;
mod objects;
mod pages;
mod readiness;
mod resolve_thread;
mod restack;
mod review;
mod signals;
mod stacked_prs;
mod tool;
mod trouble;
mod unresolved_comments;

pub use desk::{Desk, OptionalChecks, Patience, Progress};
pub use failing_tests::NO_CI;
pub use objects::Workplace;
pub use tool::{Answer, Effects, TOOLS, Tool, find, references};
pub use trouble::{ToolError, Whose};
