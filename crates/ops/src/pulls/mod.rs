//! The pull-request tools: what is asked about a pull request, answered from
//! GitHub, from git and from CI.
//!
//! One tool per folder, all of the same shape: fetch what is needed, side by
//! side; judge it with functions that know no network; give the output of the
//! contract. "The tool supplies facts and commands; the agent judges."

mod desk;
mod failing_tests;
mod merge_conflicts;
mod objects;
mod pages;
mod tool;
mod trouble;

pub use desk::{Desk, Patience, Progress};
pub use objects::Workplace;
pub use tool::{Answer, Effects, TOOLS, Tool, find};
pub use trouble::{ToolError, Whose};
