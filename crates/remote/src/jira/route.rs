//! Jira through its REST API or through an MCP server.

use super::error::JiraError;
use super::mcp::{McpJira, Reached};
use super::model::{IssueState, Linked, PullRequestLink, Transition};
use super::rest::RestJira;

/// Jira, by one of the two ways to reach it.
#[derive(Clone, Debug)]
pub enum Jira {
    Rest(RestJira),
    Mcp(McpJira),
}

impl Jira {
    /// A short description, for display.
    pub fn route(&self) -> String {
        match self {
            Self::Rest(_) => "REST".to_owned(),
            Self::Mcp(jira) => {
                let server = jira.server();
                let by = match server.reached {
                    Reached::Program(_) => "stdio",
                    Reached::Http { .. } => "HTTP",
                };
                let (name, found_in) = (&server.name, &server.found_in);
                format!("MCP server `{name}` of {found_in}, over {by}")
            }
        }
    }

    pub async fn issue(&self, key: &str) -> Result<IssueState, JiraError> {
        match self {
            Self::Rest(jira) => jira.issue(key).await,
            Self::Mcp(jira) => jira.issue(key).await,
        }
    }

    pub async fn transitions(&self, key: &str) -> Result<Vec<Transition>, JiraError> {
        match self {
            Self::Rest(jira) => jira.transitions(key).await,
            Self::Mcp(jira) => jira.transitions(key).await,
        }
    }

    /// Moves the issue, and returns its new status if that is reported.
    pub async fn transition(
        &self,
        key: &str,
        transition: &Transition,
    ) -> Result<Option<String>, JiraError> {
        match self {
            Self::Rest(jira) => {
                jira.transition(key, &transition.id).await?;
                Ok(None)
            }
            Self::Mcp(jira) => jira.transition(key, &transition.id).await,
        }
    }

    pub async fn link(&self, key: &str, link: PullRequestLink<'_>) -> Result<Linked, JiraError> {
        match self {
            Self::Rest(jira) => jira.link(key, link).await,
            Self::Mcp(jira) => jira.link(key, link).await,
        }
    }
}
