//! What apps and people report about commits.

use crate::actions::prelude::*;

pub(crate) mod runs;
pub(crate) mod statuses;
pub(crate) mod suites;

/// The full id of a commit that the repository has.
async fn known_commit(app: &App, repository: &Repository, sha: &str) -> Result<Oid> {
    let git = app.git(repository);
    let found = match Oid::parse(sha) {
        Some(oid) => git.resolve_commit(oid.as_str()).await?,
        None => None,
    };
    found.ok_or_else(|| ApiError::Unprocessable(format!("No commit found for SHA: {sha}")))
}
