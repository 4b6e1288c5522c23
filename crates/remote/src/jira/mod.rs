//! Jira, as far as pull requests need it: the state of an issue, its transitions,
//! and a link to the pull request.
//!
//! There are two ways to reach it, and one [`Jira`] for both: Jira's own REST API
//! (Cloud and Data Center), and the Atlassian MCP server that the user has
//! configured for their agents.

mod error;
mod mcp;
mod model;
mod rest;
mod route;

pub use error::{FieldProblem, JiraError, JiraErrorKind};
pub use mcp::{McpJira, McpServer, Reached};
pub use model::{IssueState, Linked, PullRequestLink, Transition};
pub use rest::{Deployment, RestJira, Site};
pub use route::Jira;
