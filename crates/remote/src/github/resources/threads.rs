//! Actions on review threads, which only GraphQL has.

use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::values::{NodeId, big_int};
use crate::http::Safety;

/// A posted reply.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadReply {
    pub id: NodeId,
    /// Its number in REST.
    #[serde(default, deserialize_with = "big_int")]
    pub full_database_id: Option<u64>,
    pub url: String,
}

impl GitHub {
    pub async fn resolve_thread(&self, thread: &NodeId) -> Result<(), GitHubError> {
        #[derive(Deserialize)]
        struct Data {
            #[serde(rename = "resolveReviewThread")]
            _payload: ThreadPayload,
        }
        let errand = Errand::new("resolve", format!("thread {thread}"));
        let safety = Safety::Idempotent {
            proof: "a resolved thread stays resolved",
        };
        let variables = json!({ "thread": thread.as_str() });
        self.mutate::<Data>(
            &documents::RESOLVE_REVIEW_THREAD,
            &variables,
            safety,
            errand,
        )
        .await?;
        Ok(())
    }

    pub async fn unresolve_thread(&self, thread: &NodeId) -> Result<(), GitHubError> {
        #[derive(Deserialize)]
        struct Data {
            #[serde(rename = "unresolveReviewThread")]
            _payload: ThreadPayload,
        }
        let errand = Errand::new("open again", format!("thread {thread}"));
        let safety = Safety::Idempotent {
            proof: "an open thread stays open",
        };
        let variables = json!({ "thread": thread.as_str() });
        self.mutate::<Data>(
            &documents::UNRESOLVE_REVIEW_THREAD,
            &variables,
            safety,
            errand,
        )
        .await?;
        Ok(())
    }

    /// After a lost response, check the thread first, so that the reply is not
    /// posted twice.
    pub async fn reply_to_thread(
        &self,
        thread: &NodeId,
        body: &str,
    ) -> Result<ThreadReply, GitHubError> {
        #[derive(Deserialize)]
        struct Data {
            #[serde(rename = "addPullRequestReviewThreadReply")]
            payload: Payload,
        }
        #[derive(Deserialize)]
        struct Payload {
            comment: ThreadReply,
        }
        let errand = Errand::new("reply in", format!("thread {thread}"));
        let variables = json!({ "thread": thread.as_str(), "body": body });
        let data: Data = self
            .mutate(
                &documents::REPLY_TO_REVIEW_THREAD,
                &variables,
                Safety::Write,
                errand,
            )
            .await?;
        Ok(data.payload.comment)
    }
}

/// Its presence means success.
#[derive(Deserialize)]
struct ThreadPayload {
    #[serde(rename = "thread")]
    _thread: Id,
}

#[derive(Deserialize)]
struct Id {
    #[serde(rename = "id")]
    _id: NodeId,
}
