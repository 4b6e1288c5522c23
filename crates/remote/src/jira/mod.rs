//! Jira, as far as pull requests need it: the state of an issue, its transitions,
//! and a link to the pull request.
//!
//! There are two ways to reach it, and one [`Jira`] for both: Jira's own REST API
//! (Cloud and Data Center), and the Atlassian MCP server that the user has
//! configured for their agents.

mod error;
mod mcp;
mod rest;
mod route;
mod words;

pub use error::{FieldProblem, JiraError, Trouble};
pub use mcp::{McpJira, McpServer, Reached};
pub use rest::{Deployment, RestJira, Site};
pub use route::Jira;
pub use words::{IssueState, Linked, PullRequestLink, Transition};
