//! Files as they are in the repository.

use baton_protocol::Repository;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    pub path: String,
    pub text: String,
}

/// GitHub itself ignores a CODEOWNERS file of more than 3 MB, which is the
/// largest file that is read this way.
const MAX_FILE_BYTES: u64 = 3 << 20;

impl GitHub {
    /// A file's text; `None` when there is no such file. Bytes that are not
    /// UTF-8 are replaced.
    pub async fn text_file(
        &self,
        repository: &Repository,
        revision: &str,
        path: &str,
    ) -> Result<Option<TextFile>, GitHubError> {
        let errand = Errand::new("read", format!("'{path}' of {repository}"));
        let request = endpoint::CONTENTS
            .read(repository, &[&path], errand)
            .query("ref", revision)
            .accept("application/vnd.github.raw+json")
            .size_cap(MAX_FILE_BYTES);
        let errand = request.errand.clone();
        let reply = match self.send(request).await {
            Ok(reply) => reply,
            Err(error) if matches!(error.kind(), GitHubErrorKind::NotFound { .. }) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let body = reply
            .raw()
            .map_err(|error| GitHubError::new(errand, GitHubErrorKind::Http(error)))?;
        Ok(Some(TextFile {
            path: path.to_owned(),
            text: String::from_utf8_lossy(body).into_owned(),
        }))
    }
}
