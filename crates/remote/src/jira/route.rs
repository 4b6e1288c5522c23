use super::error::JiraError;
use super::rest::RestJira;
use super::words::{IssueState, Linked, PullRequestLink, Transition};

/// Jira, by the way that there is to it.
#[derive(Clone, Debug)]
pub enum Jira {
    Rest(RestJira),
}

impl Jira {
    /// In a few words, for those who want to know.
    pub fn route(&self) -> String {
        match self {
            Self::Rest(_) => "REST".to_owned(),
        }
    }

    pub async fn issue(&self, key: &str) -> Result<IssueState, JiraError> {
        match self {
            Self::Rest(jira) => jira.issue(key).await,
        }
    }

    pub async fn transitions(&self, key: &str) -> Result<Vec<Transition>, JiraError> {
        match self {
            Self::Rest(jira) => jira.transitions(key).await,
        }
    }

    pub async fn transition(&self, key: &str, transition: &Transition) -> Result<(), JiraError> {
        match self {
            Self::Rest(jira) => jira.transition(key, &transition.id).await,
        }
    }

    pub async fn link(&self, key: &str, link: PullRequestLink<'_>) -> Result<Linked, JiraError> {
        match self {
            Self::Rest(jira) => jira.link(key, link).await,
        }
    }
}
