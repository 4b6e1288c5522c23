//! Pull requests as checks and runs mention them.

use serde_json::{Value, json};

use crate::error::ApiError;
use crate::rest::view::View;
use crate::store::pulls;
use crate::store::repositories::{self, Repository};

/// Those whose head is the commit: `pull-request-minimal` in GitHub's
/// description. One whose fork is gone cannot be shown in this form.
pub(crate) fn of_commit(
    view: View<'_>,
    repository: &Repository,
    sha: &str,
) -> Result<Vec<Value>, ApiError> {
    let mut shown = Vec::new();
    for pull in pulls::open_with_head_commit(view.connection, repository.id, sha)? {
        let Some(head_repository) = pull.head_repository_id else {
            continue;
        };
        let head_repository = repositories::by_id(view.connection, head_repository)?;
        let side = |name: &str, sha: &str, repository: &Repository| {
            json!({
                "ref": name,
                "sha": sha,
                "repo": {
                    "id": repository.id,
                    "url": view.api(repository, ""),
                    "name": repository.name,
                },
            })
        };
        shown.push(json!({
            "id": pull.id(),
            "number": pull.number(),
            "url": view.api(repository, &format!("/pulls/{}", pull.number())),
            "head": side(&pull.head_ref, &pull.head_sha, &head_repository),
            "base": side(&pull.base_ref, &pull.base_sha, repository),
        }));
    }
    Ok(shown)
}
