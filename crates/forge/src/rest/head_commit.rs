//! Commits as checks and runs mention them.

use baton_host::git::Oid;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::ApiError;
use crate::git::Person;
use crate::store::repositories::Repository;

/// The commit that an id, a branch or a tag in an address stands for.
pub(super) async fn find(
    app: &App,
    repository: &Repository,
    reference: &str,
) -> Result<Oid, ApiError> {
    let found = app.git(repository).resolve_commit(reference).await?;
    found.ok_or_else(|| ApiError::Unprocessable(format!("No commit found for SHA: {reference}")))
}

/// `simple-commit` in GitHub's description; null where a push took it away.
pub(crate) async fn simple(
    app: &App,
    repository: &Repository,
    sha: &str,
) -> Result<Value, ApiError> {
    let Some(oid) = Oid::parse(sha) else {
        return Ok(Value::Null);
    };
    let Some(commit) = app.git(repository).commit(&oid).await? else {
        return Ok(Value::Null);
    };
    let person = |person: &Person| json!({ "name": person.name, "email": person.email });
    Ok(json!({
        "id": commit.oid.as_str(),
        "tree_id": commit.tree.as_str(),
        "message": commit.message,
        "timestamp": commit.committer.date,
        "author": person(&commit.author),
        "committer": person(&commit.committer),
    }))
}
