//! The other side: GitHub (REST and GraphQL) over one HTTP core.
//!
//! `http` knows how to ask well (limits, retries, quotas, cache, redaction) and
//! nothing of GitHub; `github` knows what to ask and what the answers mean.
//!
//! Must not know git or the workflow.

pub mod github;
pub mod http;
pub mod jira;
