//! Reviews of a pull request.

use baton_protocol::Oid;
use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::pulls::no_association;
use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::{AuthorAssociation, DiffSide, ReviewState};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::values::{Account, Listed, NodeId, null_as_default};
use crate::http::Safety;

#[derive(Clone, Debug, Deserialize)]
pub struct Review {
    pub id: u64,
    pub node_id: NodeId,
    pub user: Option<Account>,
    #[serde(default = "no_association")]
    pub author_association: AuthorAssociation,
    #[serde(default, deserialize_with = "null_as_default")]
    pub body: String,
    pub state: ReviewState,
    pub html_url: String,
    pub submitted_at: Option<Timestamp>,
    /// The reviewed commit. Absent when it is gone.
    pub commit_id: Option<Oid>,
}

/// A review to submit.
#[derive(Clone, Debug)]
pub struct NewReview<'a> {
    /// The reviewed commit; comments are placed in its diff.
    pub commit: &'a Oid,
    pub verdict: Verdict,
    pub body: &'a str,
    pub comments: Vec<NewReviewComment<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Approve,
    RequestChanges,
    Comment,
}

impl Verdict {
    fn event(self) -> &'static str {
        match self {
            Self::Approve => "APPROVE",
            Self::RequestChanges => "REQUEST_CHANGES",
            Self::Comment => "COMMENT",
        }
    }
}

/// A comment on lines of the diff, which opens a thread.
#[derive(Clone, Debug)]
pub struct NewReviewComment<'a> {
    pub path: &'a str,
    pub line: u64,
    /// The first of several lines.
    pub start_line: Option<u64>,
    pub side: DiffSide,
    pub body: &'a str,
}

/// A comment in the code, as REST has it: without its thread.
#[derive(Clone, Debug, Deserialize)]
pub struct ReviewComment {
    pub id: u64,
    pub node_id: NodeId,
    pub user: Option<Account>,
    pub path: String,
    pub line: Option<u64>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub body: String,
    pub html_url: String,
    pub in_reply_to_id: Option<u64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl GitHub {
    /// Oldest first.
    pub async fn reviews(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<Listed<Review>, GitHubError> {
        let errand = Errand::numbered("list the reviews of", "pull request", repository, number);
        self.list(endpoint::REVIEWS.read(repository, &[&number], errand))
            .await
    }

    /// All at once: the verdict, its text and the comments in the code. After a
    /// lost response, look for it with [`reviews`](Self::reviews) first.
    pub async fn create_review(
        &self,
        repository: &Repository,
        number: u32,
        review: &NewReview<'_>,
    ) -> Result<Review, GitHubError> {
        let errand = Errand::numbered("review", "pull request", repository, number);
        let comments: Vec<Value> = review.comments.iter().map(comment_body).collect();
        let request = endpoint::REVIEW_CREATE
            .write(repository, &[&number], Safety::Write, errand)
            .json(&json!({
                "commit_id": review.commit.as_str(),
                "event": review.verdict.event(),
                "body": review.body,
                "comments": comments,
            }));
        self.get(request).await
    }

    pub async fn review_comments(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<Listed<ReviewComment>, GitHubError> {
        let errand = Errand::numbered(
            "list the review comments of",
            "pull request",
            repository,
            number,
        );
        self.list(endpoint::REVIEW_COMMENTS.read(repository, &[&number], errand))
            .await
    }

    /// Replies in the thread that a comment started.
    pub async fn reply_to_review_comment(
        &self,
        repository: &Repository,
        number: u32,
        comment: u64,
        body: &str,
    ) -> Result<ReviewComment, GitHubError> {
        let errand = Errand::new(
            "reply to",
            format!("comment {comment} of {repository}#{number}"),
        );
        let request = endpoint::REVIEW_COMMENT_REPLY
            .write(repository, &[&number, &comment], Safety::Write, errand)
            .json(&json!({ "body": body }));
        self.get(request).await
    }
}

fn comment_body(comment: &NewReviewComment<'_>) -> Value {
    let mut body = json!({
        "path": comment.path,
        "line": comment.line,
        "side": comment.side.as_str(),
        "body": comment.body,
    });
    if let Some(start) = comment.start_line {
        body["start_line"] = start.into();
        body["start_side"] = comment.side.as_str().into();
    }
    body
}
