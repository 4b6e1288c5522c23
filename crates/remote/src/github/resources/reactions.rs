//! Reactions to comments.

use baton_protocol::Repository;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::endpoint::{self, Endpoint};
use crate::github::enums::Reaction;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::http::Safety;

/// What is reacted to, by its number in REST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reactable {
    IssueComment(u64),
    ReviewComment(u64),
}

impl GitHub {
    pub async fn react(
        &self,
        repository: &Repository,
        to: Reactable,
        reaction: &Reaction,
    ) -> Result<(), GitHubError> {
        const ISSUE: &Endpoint = &endpoint::ISSUE_COMMENT_REACTION_CREATE;
        const REVIEW: &Endpoint = &endpoint::REVIEW_COMMENT_REACTION_CREATE;
        let (endpoint, id) = match to {
            Reactable::IssueComment(id) => (ISSUE, id),
            Reactable::ReviewComment(id) => (REVIEW, id),
        };
        let errand = Errand::new("react to", format!("comment {id} of {repository}"));
        let safety = Safety::Idempotent {
            proof: "the same reaction by the same account counts once",
        };
        let request = endpoint
            .write(repository, &[&id], safety, errand)
            .json(&json!({ "content": reaction.as_str() }));
        self.settle(request).await
    }
}
