//! Merging a pull request, and bringing its branch up to date.

use baton_protocol::Oid;
use baton_protocol::Repository;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::MergeMethod;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};
use crate::http::Safety;

/// How to merge. The head is required, so that the commit that was checked is
/// merged.
#[derive(Clone, Debug)]
pub struct MergeRequest<'a> {
    pub head: &'a Oid,
    /// That of the merge queue when absent.
    pub method: Option<MergeMethod>,
    /// GitHub's default when absent.
    pub title: Option<&'a str>,
    pub message: Option<&'a str>,
}

impl MergeRequest<'_> {
    pub(super) fn as_json(&self) -> Value {
        let mut body = json!({ "sha": self.head.as_str() });
        let texts = [
            (
                "merge_method",
                self.method.as_ref().map(MergeMethod::as_str),
            ),
            ("commit_title", self.title),
            ("commit_message", self.message),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                body[name] = text.into();
            }
        }
        body
    }
}

/// The result of a merge request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeOutcome {
    Merged {
        commit: Option<Oid>,
    },
    /// The branch was pushed to meanwhile: check it again first.
    HeadMoved {
        head: Oid,
    },
    /// Conflicts, rules, missing reviews or checks; GitHub's message.
    NotMergeable {
        reason: String,
    },
}

/// The result of a request to update the branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// GitHub does it in the background.
    Accepted,
    HeadMoved {
        head: Oid,
    },
    /// Conflicts, or nothing to merge; GitHub's message.
    Refused {
        reason: String,
    },
}

#[derive(Deserialize)]
struct MergeReply {
    sha: Option<Oid>,
    merged: bool,
    #[serde(default)]
    message: String,
}

impl GitHub {
    pub async fn merge_pull_request(
        &self,
        repository: &Repository,
        number: u32,
        merge: &MergeRequest<'_>,
    ) -> Result<MergeOutcome, GitHubError> {
        let errand = Errand::numbered("merge", "pull request", repository, number);
        let safety = Safety::Idempotent {
            proof: "guarded by the head SHA; a merged pull request is not merged again",
        };
        let request = endpoint::PULL_MERGE
            .write(repository, &[&number], safety, errand)
            .json(&merge.as_json());
        match self.get::<MergeReply>(request).await {
            Ok(MergeReply {
                sha, merged: true, ..
            }) => Ok(MergeOutcome::Merged { commit: sha }),
            Ok(MergeReply { message, .. }) => Ok(MergeOutcome::NotMergeable { reason: message }),
            Err(error) => match error.kind() {
                GitHubErrorKind::Refused {
                    status: 405 | 409,
                    message,
                } => {
                    let reason = message.clone();
                    self.why_not_merged(repository, number, merge.head, reason)
                        .await
                }
                _ => Err(error),
            },
        }
    }

    /// The refusal may be the response to a second attempt whose first response
    /// was lost, so the pull request itself is requested.
    async fn why_not_merged(
        &self,
        repository: &Repository,
        number: u32,
        head: &Oid,
        reason: String,
    ) -> Result<MergeOutcome, GitHubError> {
        let pull = self.pull_request(repository, number).await?;
        if pull.head.sha != *head {
            return Ok(MergeOutcome::HeadMoved {
                head: pull.head.sha,
            });
        }
        if pull.is_merged() {
            return Ok(MergeOutcome::Merged {
                commit: pull.merge_commit_sha,
            });
        }
        Ok(MergeOutcome::NotMergeable { reason })
    }

    /// Merges the base branch into the pull request's branch.
    pub async fn update_branch(
        &self,
        repository: &Repository,
        number: u32,
        expected_head: &Oid,
    ) -> Result<UpdateOutcome, GitHubError> {
        let errand = Errand::numbered("update the branch of", "pull request", repository, number);
        let safety = Safety::Idempotent {
            proof: "guarded by the expected head SHA, which the update changes",
        };
        let request = endpoint::PULL_UPDATE_BRANCH
            .write(repository, &[&number], safety, errand)
            .json(&json!({ "expected_head_sha": expected_head.as_str() }));
        match self.settle(request).await {
            Ok(()) => Ok(UpdateOutcome::Accepted),
            Err(error) => {
                let GitHubErrorKind::Invalid { message, .. } = error.kind() else {
                    return Err(error);
                };
                let reason = message.clone();
                let pull = self.pull_request(repository, number).await?;
                Ok(if pull.head.sha == *expected_head {
                    UpdateOutcome::Refused { reason }
                } else {
                    UpdateOutcome::HeadMoved {
                        head: pull.head.sha,
                    }
                })
            }
        }
    }
}
