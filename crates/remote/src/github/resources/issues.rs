//! Issues.

use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::labels::Label;
use super::pulls::no_association;
use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::{AuthorAssociation, IssueState};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::open_enum::open_enum;
use crate::github::values::{Account, Listed, NodeId, null_as_default};
use crate::http::Safety;

#[derive(Clone, Debug, Deserialize)]
pub struct Issue {
    pub number: u32,
    pub node_id: NodeId,
    pub html_url: String,
    pub state: IssueState,
    pub state_reason: Option<StateReason>,
    pub title: String,
    #[serde(default, deserialize_with = "null_as_default")]
    pub body: String,
    pub user: Option<Account>,
    #[serde(default = "no_association")]
    pub author_association: AuthorAssociation,
    #[serde(default)]
    pub labels: Vec<Label>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub assignees: Vec<Account>,
    #[serde(default)]
    pub comments: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    /// Present when it is a pull request: GitHub lists both together.
    pub pull_request: Option<PullRequestLink>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct PullRequestLink {
    pub merged_at: Option<Timestamp>,
}

open_enum! {
    pub enum StateReason {
        Completed = "completed",
        NotPlanned = "not_planned",
        Duplicate = "duplicate",
        Reopened = "reopened",
    }
}

#[derive(Clone, Debug)]
pub struct NewIssue<'a> {
    pub title: &'a str,
    pub body: &'a str,
    pub labels: Vec<&'a str>,
}

/// What to change; what is `None` stays.
#[derive(Clone, Debug, Default)]
pub struct IssueChange<'a> {
    pub title: Option<&'a str>,
    pub body: Option<&'a str>,
    /// The complete list of its labels.
    pub labels: Option<Vec<&'a str>>,
}

#[derive(Clone, Debug, Default)]
pub struct IssueFilter<'a> {
    /// `None` lists open and closed ones.
    pub state: Option<IssueState>,
    /// Those that have all of these.
    pub labels: Vec<&'a str>,
    pub since: Option<Timestamp>,
}

impl GitHub {
    pub async fn issue(&self, repository: &Repository, number: u32) -> Result<Issue, GitHubError> {
        let errand = Errand::numbered("read", "issue", repository, number);
        self.get(endpoint::ISSUE.read(repository, &[&number], errand))
            .await
    }

    /// Newest first, without pull requests.
    pub async fn issues(
        &self,
        repository: &Repository,
        filter: &IssueFilter<'_>,
    ) -> Result<Listed<Issue>, GitHubError> {
        let errand = Errand::new("list", format!("the issues of {repository}"));
        let state = filter.state.as_ref().map_or("all", IssueState::as_str);
        let labels = (!filter.labels.is_empty()).then(|| filter.labels.join(","));
        let request = endpoint::ISSUES
            .read(repository, &[], errand)
            .query("state", state)
            .query_if_some("labels", labels)
            .query_if_some("since", filter.since);
        let mut issues: Listed<Issue> = self.list(request).await?;
        issues.items.retain(|issue| issue.pull_request.is_none());
        Ok(issues)
    }

    /// After a lost response, look for it with [`issues`](Self::issues) first.
    pub async fn create_issue(
        &self,
        repository: &Repository,
        new: &NewIssue<'_>,
    ) -> Result<Issue, GitHubError> {
        let errand = Errand::new("open", format!("an issue in {repository}"));
        let request = endpoint::ISSUE_CREATE
            .write(repository, &[], Safety::Write, errand)
            .json(&json!({ "title": new.title, "body": new.body, "labels": new.labels }));
        self.get(request).await
    }

    pub async fn update_issue(
        &self,
        repository: &Repository,
        number: u32,
        change: &IssueChange<'_>,
    ) -> Result<Issue, GitHubError> {
        let mut body = Map::new();
        for (name, value) in [("title", change.title), ("body", change.body)] {
            if let Some(value) = value {
                body.insert(name.to_owned(), value.into());
            }
        }
        if let Some(labels) = &change.labels {
            body.insert("labels".to_owned(), labels.clone().into());
        }
        let errand = Errand::numbered("change", "issue", repository, number);
        self.patch_issue(repository, number, errand, body.into())
            .await
    }

    pub async fn close_issue(
        &self,
        repository: &Repository,
        number: u32,
        reason: &StateReason,
    ) -> Result<Issue, GitHubError> {
        let errand = Errand::numbered("close", "issue", repository, number);
        let body = json!({ "state": "closed", "state_reason": reason.as_str() });
        self.patch_issue(repository, number, errand, body).await
    }

    pub async fn reopen_issue(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<Issue, GitHubError> {
        let errand = Errand::numbered("open again", "issue", repository, number);
        let body = json!({ "state": "open", "state_reason": "reopened" });
        self.patch_issue(repository, number, errand, body).await
    }

    async fn patch_issue(
        &self,
        repository: &Repository,
        number: u32,
        errand: Errand,
        body: Value,
    ) -> Result<Issue, GitHubError> {
        let safety = Safety::Idempotent {
            proof: "sets fields to given values",
        };
        let request = endpoint::ISSUE_UPDATE
            .write(repository, &[&number], safety, errand)
            .json(&body);
        self.get(request).await
    }
}
