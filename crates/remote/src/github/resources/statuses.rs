//! Commit statuses, which CI systems without checks report.

use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::StatusState;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::values::Listed;

/// The latest status of one context.
#[derive(Clone, Debug, Deserialize)]
pub struct CommitStatus {
    pub context: String,
    pub state: StatusState,
    pub description: Option<String>,
    pub target_url: Option<String>,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
}

impl GitHub {
    /// One per context. `revision` is a branch, tag or commit id.
    pub async fn commit_statuses(
        &self,
        repository: &Repository,
        revision: &str,
    ) -> Result<Listed<CommitStatus>, GitHubError> {
        let errand = Errand::new(
            "list",
            format!("the statuses of '{revision}' in {repository}"),
        );
        let request = endpoint::COMMIT_STATUS.read(repository, &[&revision], errand);
        self.list_in(request, "statuses").await
    }
}
