//! Branches as git refs.

use baton_protocol::Oid;
use baton_protocol::Repository;
use serde::Deserialize;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};
use crate::http::Safety;

#[derive(Deserialize)]
struct Ref {
    object: Target,
}

#[derive(Deserialize)]
struct Target {
    sha: Oid,
}

impl GitHub {
    /// The commit of a branch; `None` when there is no such branch.
    pub async fn branch_head(
        &self,
        repository: &Repository,
        branch: &str,
    ) -> Result<Option<Oid>, GitHubError> {
        let errand = Errand::new("read", format!("branch '{branch}' of {repository}"));
        let name = format!("heads/{branch}");
        match self
            .get::<Ref>(endpoint::REF.read(repository, &[&name], errand))
            .await
        {
            Ok(found) => Ok(Some(found.object.sha)),
            Err(error) if matches!(error.kind(), GitHubErrorKind::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes a branch. Fine when it is gone already.
    pub async fn delete_branch(
        &self,
        repository: &Repository,
        branch: &str,
    ) -> Result<(), GitHubError> {
        let errand = Errand::new("delete", format!("branch '{branch}' of {repository}"));
        let safety = Safety::Idempotent {
            proof: "a branch that is gone stays gone",
        };
        let name = format!("heads/{branch}");
        let request = endpoint::REF_DELETE.write(repository, &[&name], safety, errand);
        match self.settle(request).await {
            Ok(()) => Ok(()),
            Err(error) if error.branch_is_gone() => Ok(()),
            Err(error) => Err(error),
        }
    }
}
