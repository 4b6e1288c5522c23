//! The remaining quotas.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::http::Safety;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Allowance {
    pub limit: u64,
    pub remaining: u64,
    #[serde(deserialize_with = "seconds")]
    pub reset: Timestamp,
}

#[derive(Deserialize)]
struct Allowances {
    resources: BTreeMap<String, Allowance>,
}

impl GitHub {
    /// By resource: `core`, `graphql`, `search` and others. This request costs
    /// nothing.
    pub async fn allowances(&self) -> Result<BTreeMap<String, Allowance>, GitHubError> {
        let errand = Errand::new("read", "the rate limits");
        let request = endpoint::RATE_LIMIT.global(&[], Safety::Read, errand);
        let allowances: Allowances = self.get(request).await?;
        Ok(allowances.resources)
    }
}

fn seconds<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let seconds = i64::deserialize(deserializer)?;
    Timestamp::from_second(seconds).map_err(serde::de::Error::custom)
}
