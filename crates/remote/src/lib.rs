//! The clients for remote services: GitHub (REST and GraphQL) and Jira over one
//! HTTP core.
//!
//! `http` knows how to send requests well (limits, retries, quotas, cache,
//! redaction) and nothing of GitHub; `github` knows what to request and what the
//! answers mean.
//!
//! Must not know git or the workflow.

pub mod github;
pub mod http;
pub mod jira;
