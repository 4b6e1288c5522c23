//! Resources: one file each, with the types of its answers and the calls.

pub mod artifacts;
pub mod branch_protection;
pub mod changed_files;
pub mod checks;
pub mod code_owners;
pub mod comments;
pub mod commits;
pub mod contents;
pub mod issues;
pub mod labels;
pub mod logs;
pub mod merging;
pub mod pull_state;
pub mod pulls;
pub mod rate_limits;
pub mod reactions;
pub mod refs;
pub mod repositories;
pub mod reviews;
pub mod rules;
pub mod search;
pub mod stacks;
pub mod statuses;
pub mod threads;
pub mod users;
pub mod workflow_runs;
