//! The `CODEOWNERS` file.

use baton_protocol::Repository;
use baton_protocol::code_owners::CODE_OWNERS_PATHS;

use super::contents::TextFile;
use crate::github::client::GitHub;
use crate::github::error::GitHubError;

impl GitHub {
    /// The file at `revision`, which for a pull request is its base branch.
    pub async fn code_owners(
        &self,
        repository: &Repository,
        revision: &str,
    ) -> Result<Option<TextFile>, GitHubError> {
        for place in CODE_OWNERS_PATHS {
            let file = self.text_file(repository, revision, place).await?;
            if file.is_some() {
                return Ok(file);
            }
        }
        Ok(None)
    }
}
