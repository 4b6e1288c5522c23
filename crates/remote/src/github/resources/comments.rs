//! The conversation of an issue or pull request.

use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::pulls::no_association;
use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::AuthorAssociation;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::values::{Account, Listed, NodeId, null_as_default};
use crate::http::Safety;

#[derive(Clone, Debug, Deserialize)]
pub struct IssueComment {
    pub id: u64,
    pub node_id: NodeId,
    pub user: Option<Account>,
    #[serde(default = "no_association")]
    pub author_association: AuthorAssociation,
    #[serde(default, deserialize_with = "null_as_default")]
    pub body: String,
    pub html_url: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl GitHub {
    /// Oldest first. `number` is an issue's or a pull request's.
    pub async fn issue_comments(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<Listed<IssueComment>, GitHubError> {
        let errand = Errand::new("list", format!("the comments of {repository}#{number}"));
        self.list(endpoint::ISSUE_COMMENTS.read(repository, &[&number], errand))
            .await
    }

    /// After a lost response, look for it with
    /// [`issue_comments`](Self::issue_comments) first.
    pub async fn create_issue_comment(
        &self,
        repository: &Repository,
        number: u32,
        body: &str,
    ) -> Result<IssueComment, GitHubError> {
        let errand = Errand::new("comment on", format!("{repository}#{number}"));
        let request = endpoint::ISSUE_COMMENT_CREATE
            .write(repository, &[&number], Safety::Write, errand)
            .json(&json!({ "body": body }));
        self.get(request).await
    }

    pub async fn update_issue_comment(
        &self,
        repository: &Repository,
        comment: u64,
        body: &str,
    ) -> Result<IssueComment, GitHubError> {
        let errand = Errand::new("change", format!("comment {comment} of {repository}"));
        let safety = Safety::Idempotent {
            proof: "sets the text to a given one",
        };
        let request = endpoint::ISSUE_COMMENT_UPDATE
            .write(repository, &[&comment], safety, errand)
            .json(&json!({ "body": body }));
        self.get(request).await
    }
}
