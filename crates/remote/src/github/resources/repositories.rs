//! The repository itself.

use baton_protocol::Repository;
use serde::Deserialize;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::values::NodeId;

#[derive(Clone, Debug, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "GitHub's own shape; each flag is asked for by itself"
)]
pub struct RepositoryInfo {
    pub id: u64,
    pub node_id: NodeId,
    /// The current name, which differs from the requested one when it was renamed
    /// or moved.
    pub full_name: String,
    pub html_url: String,
    pub default_branch: String,
    #[serde(default)]
    pub private: bool,
    #[serde(default)]
    pub fork: bool,
    #[serde(default)]
    pub archived: bool,
    #[serde(default)]
    pub disabled: bool,
    /// What the token may do; absent without one.
    pub permissions: Option<Permissions>,
    /// Absent for those who may not push.
    pub allow_merge_commit: Option<bool>,
    pub allow_squash_merge: Option<bool>,
    pub allow_rebase_merge: Option<bool>,
    pub delete_branch_on_merge: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "GitHub's own shape; each flag is asked for by itself"
)]
pub struct Permissions {
    pub pull: bool,
    pub triage: bool,
    pub push: bool,
    pub maintain: bool,
    pub admin: bool,
}

/// A repository as other resources refer to it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RepositoryName {
    #[serde(alias = "nameWithOwner")]
    pub full_name: String,
}

impl RepositoryName {
    /// `None` for a name that cannot be one on GitHub.
    pub fn parse(&self) -> Option<Repository> {
        Repository::parse(&self.full_name).ok()
    }
}

impl GitHub {
    pub async fn repository(&self, repository: &Repository) -> Result<RepositoryInfo, GitHubError> {
        let errand = Errand::new("read", format!("repository {repository}"));
        self.get(endpoint::REPOSITORY.read(repository, &[], errand))
            .await
    }
}
