//! GitHub's own stacks as JSON.

use super::{pulls, users};
use crate::store::refs;
use crate::store::stacks::{self, Stack};
use crate::views::prelude::*;

/// In a list: `pull-request-stack-minimal`.
pub(crate) fn minimal(view: View<'_>, repository: &Repository, stack: &Stack) -> Value {
    let members = stack.members.iter().map(|pull| {
        json!({
            "number": pull.number(),
            "state": pull.issue.state.as_str(),
            "draft": pull.draft,
            "merged_at": pull.merged.as_ref().map(|merged| &merged.at),
            "head": { "ref": pull.head_ref, "sha": pull.head_sha },
        })
    });
    facts(view, repository, stack, members.collect())
}

/// With its pull requests as `pull-request-stack-pull-request`.
pub(crate) fn full(view: View<'_>, repository: &Repository, stack: &Stack) -> Result<Value> {
    let mut members = Vec::new();
    for pull in &stack.members {
        let more = json!({
            "node_id": node_id(Kind::PullRequest, pull.id()),
            "title": pull.issue.title,
            "state": pull.issue.state.as_str(),
            "merged_at": pull.merged.as_ref().map(|merged| &merged.at),
            "draft": pull.draft,
            "html_url": view.page(repository, &format!("/pull/{}", pull.number())),
            "user": users::by_id(view, pull.issue.author_id)?,
        });
        // All branches of a stack are in its repository.
        members.push(merged(
            pulls::minimal(view, repository, repository, pull),
            more,
        ));
    }
    Ok(facts(view, repository, stack, members))
}

/// Of a pull request: `pull-request-stack`, and nothing where it is in none.
pub(crate) fn place(view: View<'_>, repository: &Repository, pull: &Pull) -> Result<Value> {
    let Some(place) = stacks::place(view.conn, pull.id())? else {
        return Ok(Value::Null);
    };
    let base = format!("refs/heads/{}", place.base_ref);
    let sha = refs::find(view.conn, repository.id, &base)?;
    Ok(json!({
        "id": place.id,
        "number": place.number,
        "size": place.size,
        "position": place.position,
        "base": { "ref": place.base_ref, "sha": sha.as_ref().unwrap_or(&pull.base_sha) },
    }))
}

fn facts(view: View<'_>, repository: &Repository, stack: &Stack, members: Vec<Value>) -> Value {
    let mut body = json!({
        "id": stack.id,
        "number": stack.number,
        "node_id": node_id(Kind::Stack, stack.id),
        "url": view.api(repository, &format!("/stacks/{}", stack.number)),
        "base": { "ref": stack.base_ref },
        "open": stack.members.iter().any(Pull::is_open),
        "created_at": stack.created_at,
    });
    body["pull_requests"] = members.into();
    body
}
