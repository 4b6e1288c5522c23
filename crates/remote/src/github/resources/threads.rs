//! Acting on review threads and on the state of a pull request, which only
//! GraphQL can.

use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents::{self, Document};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::questions::merge_readiness::QueueEntry;
use crate::github::values::{CommitId, NodeId, big_int};
use crate::http::Safety;

/// A reply that was made.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reply {
    pub id: NodeId,
    /// Its number in REST.
    #[serde(default, deserialize_with = "big_int")]
    pub full_database_id: Option<u64>,
    pub url: String,
}
