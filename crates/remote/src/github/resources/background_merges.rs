//! Merges that GitHub makes in the background: the only ones for pull requests of
//! its own stacks, which it merges with everything below them.

use baton_protocol::Oid;
use baton_protocol::Repository;
use serde::Deserialize;

use super::merging::MergeRequest;
use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};
use crate::http::Safety;

/// How a merge in the background stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackgroundMerge {
    /// Not done yet. By the request's id it is asked for again.
    Pending {
        request: Option<String>,
    },
    /// In the merge queue of the base.
    Queued,
    Merged {
        commit: Option<Oid>,
    },
    /// GitHub's message.
    Failed {
        reason: String,
    },
}

#[derive(Deserialize)]
struct Reply {
    status: String,
    #[serde(default)]
    details: Details,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    message: String,
    uuid: Option<String>,
    sha: Option<Oid>,
}

impl From<Reply> for BackgroundMerge {
    fn from(reply: Reply) -> Self {
        let Details { message, uuid, sha } = reply.details;
        match reply.status.as_str() {
            "merged" => Self::Merged { commit: sha },
            "enqueued" => Self::Queued,
            "pending" => Self::Pending { request: uuid },
            // A word that is new is no success.
            _ => Self::Failed { reason: message },
        }
    }
}

impl GitHub {
    /// Asks for the merge. GitHub cancels it when the branch is pushed to before
    /// it is made.
    pub async fn merge_in_background(
        &self,
        repository: &Repository,
        number: u32,
        merge: &MergeRequest<'_>,
    ) -> Result<BackgroundMerge, GitHubError> {
        let errand = Errand::numbered("merge", "pull request", repository, number);
        let safety = Safety::Idempotent {
            proof: "guarded by the head SHA; a merge that was asked for is not asked for twice",
        };
        let request = endpoint::PULL_MERGE_ASYNC
            .write(repository, &[&number], safety, errand)
            .json(&merge.as_json());
        match self.get::<Reply>(request).await {
            Ok(reply) => Ok(reply.into()),
            Err(error) => match error.kind() {
                GitHubErrorKind::Refused { status: 409, .. } => {
                    Ok(BackgroundMerge::Pending { request: None })
                }
                GitHubErrorKind::Refused { message, .. }
                | GitHubErrorKind::Invalid { message, .. } => Ok(BackgroundMerge::Failed {
                    reason: message.clone(),
                }),
                _ => Err(error),
            },
        }
    }

    /// How a merge that was asked for stands.
    pub async fn background_merge(
        &self,
        repository: &Repository,
        number: u32,
        request: &str,
    ) -> Result<BackgroundMerge, GitHubError> {
        let errand = Errand::numbered("look at the merge of", "pull request", repository, number);
        let request =
            endpoint::PULL_MERGE_ASYNC_RESULT.read(repository, &[&number, &request], errand);
        Ok(self.get::<Reply>(request).await?.into())
    }
}
