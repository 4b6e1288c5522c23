//! GraphQL queries: one document each, in `queries/`.
//!
//! A query brings in one response what REST would need many calls for. Lists are
//! read to their end within a cap and are marked when they were cut; parts that
//! the token may not see are named rather than treated as empty.

pub mod check_details;
pub mod commit_checks;
pub mod file_histories;
pub mod force_pushes;
pub mod head_checks;
pub mod mentioned_numbers;
pub mod merge_readiness;
pub mod open_pulls;
pub mod overview;
pub mod pull_list;
pub mod pull_request_checks;
pub mod readiness_files;
pub mod recently_closed_pulls;
pub mod review_discussion;
pub mod stacked_pair;
pub mod viewer;
