//! Draft, ready, queued: what only GraphQL can change about a pull request.

use baton_protocol::Oid;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::enums::MergeMethod;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};
use crate::github::graphql::Answer;
use crate::github::questions::merge_readiness::QueueEntry;
use crate::github::values::NodeId;
use crate::http::Safety;

/// The state of a pull request after the change.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DraftState {
    pub number: u32,
    pub is_draft: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload {
    pull_request: DraftState,
}

impl GitHub {
    /// `pull` is its `node_id`. Fine when it is ready already.
    pub async fn mark_ready_for_review(&self, pull: &NodeId) -> Result<DraftState, GitHubError> {
        #[derive(Deserialize)]
        struct Data {
            #[serde(rename = "markPullRequestReadyForReview")]
            payload: Payload,
        }
        let errand = Errand::new("mark as ready for review", format!("pull request {pull}"));
        let safety = Safety::Idempotent {
            proof: "a pull request that is ready stays ready",
        };
        let variables = json!({ "pull": pull.as_str() });
        let data: Data = self
            .mutate(
                &documents::MARK_READY_FOR_REVIEW,
                &variables,
                safety,
                errand,
            )
            .await?;
        Ok(data.payload.pull_request)
    }

    pub async fn convert_to_draft(&self, pull: &NodeId) -> Result<DraftState, GitHubError> {
        #[derive(Deserialize)]
        struct Data {
            #[serde(rename = "convertPullRequestToDraft")]
            payload: Payload,
        }
        let errand = Errand::new("convert to a draft", format!("pull request {pull}"));
        let safety = Safety::Idempotent {
            proof: "a draft stays a draft",
        };
        let variables = json!({ "pull": pull.as_str() });
        let data: Data = self
            .mutate(&documents::CONVERT_TO_DRAFT, &variables, safety, errand)
            .await?;
        Ok(data.payload.pull_request)
    }

    /// Puts a pull request into the merge queue of its base branch, where
    /// merging by hand is not allowed.
    pub async fn enqueue_pull_request(
        &self,
        pull: &NodeId,
        head: &Oid,
    ) -> Result<Option<QueueEntry>, GitHubError> {
        #[derive(Deserialize)]
        struct Data {
            #[serde(rename = "enqueuePullRequest")]
            payload: Queued,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Queued {
            merge_queue_entry: Option<QueueEntry>,
        }
        let errand = Errand::new("put into the merge queue", format!("pull request {pull}"));
        let safety = Safety::Idempotent {
            proof: "guarded by the head SHA; a queued pull request is not queued twice",
        };
        let variables = json!({ "pull": pull.as_str(), "head": head.as_str() });
        let sent: Result<Data, _> = self
            .mutate(&documents::ENQUEUE_PULL_REQUEST, &variables, safety, errand)
            .await;
        match sent {
            Ok(data) => Ok(data.payload.merge_queue_entry),
            // The response to an earlier attempt may have been lost.
            Err(error) if matches!(error.kind(), GitHubErrorKind::Invalid { .. }) => {
                match self.queue_entry(pull, head).await? {
                    Some(entry) => Ok(Some(entry)),
                    None => Err(error),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Has GitHub merge it as soon as its rules allow that. After a lost response,
    /// look whether it is on.
    pub async fn enable_auto_merge(
        &self,
        pull: &NodeId,
        head: &Oid,
        method: &MergeMethod,
    ) -> Result<(), GitHubError> {
        #[derive(Deserialize)]
        struct Data {
            #[serde(rename = "enablePullRequestAutoMerge")]
            _payload: Enabled,
        }
        #[derive(Deserialize)]
        struct Enabled {
            #[serde(rename = "pullRequest")]
            _pull_request: IgnoredAny,
        }
        let errand = Errand::new("have merged", format!("pull request {pull}"));
        let variables = json!({
            "pull": pull.as_str(),
            "head": head.as_str(),
            "method": method.as_str().to_ascii_uppercase(),
        });
        self.mutate::<Data>(
            &documents::ENABLE_AUTO_MERGE,
            &variables,
            Safety::Write,
            errand,
        )
        .await?;
        Ok(())
    }

    /// The pull request's position in the merge queue, if it is there with this
    /// head.
    pub async fn queue_entry(
        &self,
        pull: &NodeId,
        head: &Oid,
    ) -> Result<Option<QueueEntry>, GitHubError> {
        #[derive(Deserialize)]
        struct Data {
            node: Option<Queued>,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Queued {
            head_ref_oid: Oid,
            merge_queue_entry: Option<QueueEntry>,
        }
        let errand = Errand::new(
            "look for in the merge queue",
            format!("pull request {pull}"),
        );
        let variables = json!({ "pull": pull.as_str() });
        let answer: Answer<Data> = self
            .ask(&documents::QUEUE_ENTRY, &variables, errand)
            .await?;
        let queued = answer.data.node.filter(|pull| pull.head_ref_oid == *head);
        Ok(queued.and_then(|pull| pull.merge_queue_entry))
    }
}
