//! The files that a pull request changes, with their patches.

use baton_protocol::Repository;
use serde::Deserialize;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::FileStatus;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::values::Listed;

#[derive(Clone, Debug, Deserialize)]
pub struct ChangedFile {
    #[serde(rename = "filename")]
    pub path: String,
    /// Where a renamed or copied file came from.
    #[serde(rename = "previous_filename")]
    pub previous_path: Option<String>,
    pub status: FileStatus,
    #[serde(default)]
    pub additions: u64,
    #[serde(default)]
    pub deletions: u64,
    /// The hunks. Absent for binary and very large files.
    pub patch: Option<String>,
}

/// GitHub itself lists no more than 3000 files of a pull request.
pub const MAX_FILES: usize = 3000;

impl GitHub {
    pub async fn changed_files(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<Listed<ChangedFile>, GitHubError> {
        let errand = Errand::numbered("list the files of", "pull request", repository, number);
        let mut files: Listed<ChangedFile> = self
            .list(endpoint::PULL_FILES.read(repository, &[&number], errand))
            .await?;
        files.truncated |= files.items.len() >= MAX_FILES;
        Ok(files)
    }
}
