//! This machine: child processes, git, and what kind of project a folder holds.
//!
//! Must not know GitHub, Jira or the workflow.

pub mod cmd;
pub mod detect;
pub mod folder;
pub mod git;
pub mod own_process;
pub mod sandbox;

pub use cmd::Cmd;
