//! Files that workflow runs upload, such as test reports.

use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;

use crate::github::archive::{Archive, ArchiveLimits};
use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::values::Listed;

#[derive(Clone, Debug, Deserialize)]
pub struct Artifact {
    pub id: u64,
    pub name: String,
    pub size_in_bytes: u64,
    /// Its files are gone.
    #[serde(default)]
    pub expired: bool,
    pub created_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
}

impl GitHub {
    pub async fn artifacts(
        &self,
        repository: &Repository,
        run: u64,
    ) -> Result<Listed<Artifact>, GitHubError> {
        let errand = Errand::new(
            "list",
            format!("the artifacts of run {run} in {repository}"),
        );
        let request = endpoint::WORKFLOW_RUN_ARTIFACTS.read(repository, &[&run], errand);
        self.list_in(request, "artifacts").await
    }

    pub async fn artifact(
        &self,
        repository: &Repository,
        artifact: u64,
        limits: ArchiveLimits,
    ) -> Result<Archive, GitHubError> {
        let errand = Errand::new("read", format!("artifact {artifact} of {repository}"));
        let request = endpoint::ARTIFACT_DOWNLOAD.read(repository, &[&artifact, &"zip"], errand);
        self.archive(request, limits).await
    }
}
