//! Git references.

use super::commits::empty_repository;
use super::prelude::*;
use crate::actions::refs;
use crate::git::Ref;
use crate::node_id::{Kind, named_node_id};
use crate::urls::encoded_path;
use crate::views::View;

pub(super) fn routes() -> Router<App> {
    const GIT: &str = "/repos/{owner}/{repo}/git";
    Router::new()
        .route(&format!("{GIT}/ref/{{*ref}}"), get(one))
        .route(&format!("{GIT}/matching-refs/{{*ref}}"), get(matching))
        .route(&format!("{GIT}/refs/{{*ref}}"), delete(remove))
}

fn git_ref(view: View<'_>, repository: &Repository, found: &Ref) -> Value {
    let folder = if found.kind == "tag" {
        "tags"
    } else {
        "commits"
    };
    json!({
        "ref": found.name,
        "node_id": named_node_id(Kind::Ref, repository.id, &found.name),
        "url": view.api(repository, &format!("/git/{}", encoded_path(&found.name))),
        "object": {
            "sha": found.oid.as_str(),
            "type": found.kind,
            "url": view.api(repository, &format!("/git/{folder}/{}", found.oid)),
        },
    })
}

fn name(call: &Call) -> String {
    format!("refs/{}", call.path("ref"))
}

async fn one(call: Call) -> Answer {
    let (repository, git) = call.git()?;
    let found = git
        .find_ref(&name(&call))
        .await?
        .ok_or(ApiError::NotFound)?;
    call.show(|view| Ok(git_ref(view, &repository, &found)))
}

/// Everything that begins so, in the middle of a name as well.
async fn matching(call: Call) -> Answer {
    let (repository, git) = call.git()?;
    let mut found = git.refs(&["refs"]).await?;
    if found.is_empty() {
        return Err(empty_repository());
    }
    let start = name(&call);
    found.retain(|found| found.name.starts_with(&start));
    call.list(found, |view, found| Ok(git_ref(view, &repository, found)))
}

async fn remove(call: Call) -> Answer {
    let repository = call.repository_to_change(Permission::Write)?;
    refs::delete(call.on(&repository), &name(&call)).await?;
    no_content()
}
