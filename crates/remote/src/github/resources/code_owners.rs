//! The `CODEOWNERS` file.

use baton_protocol::Repository;

use super::contents::TextFile;
use crate::github::client::GitHub;
use crate::github::error::GitHubError;

/// Where GitHub looks for it, in this order; the first one counts.
pub const PLACES: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

impl GitHub {
    /// The file at `revision`, which for a pull request is its base branch.
    pub async fn code_owners(
        &self,
        repository: &Repository,
        revision: &str,
    ) -> Result<Option<TextFile>, GitHubError> {
        for place in PLACES {
            let file = self.text_file(repository, revision, place).await?;
            if file.is_some() {
                return Ok(file);
            }
        }
        Ok(None)
    }
}
