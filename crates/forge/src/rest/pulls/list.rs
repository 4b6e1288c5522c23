use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use baton_host::git::Oid;

use super::simple;
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::rest::Paging;
use crate::store::pulls::{self, Filter, Sort, StateFilter};
use crate::store::repositories::Permission;

pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, ApiError> {
    let filter = read_filter(&query)?;
    app.show(|view| {
        let connection = view.connection;
        let repository = caller.repository(connection, &owner, &name, Permission::Read)?;
        let total = pulls::count(connection, repository.id, &filter)?;
        let (limit, offset) = (paging.limit(), paging.offset());
        let found = pulls::list(connection, repository.id, &filter, limit, offset)?;
        let items: Result<Vec<_>, _> = found
            .iter()
            .map(|pull| simple(view, Some(&caller), &repository, pull))
            .collect();
        Ok(paging.answer(items?, total))
    })
}

/// The pull requests that a commit is part of: those it was merged by, and the
/// open ones.
pub(super) async fn of_commit(
    State(app): State<App>,
    caller: Caller,
    paging: Paging,
    Path((owner, name, sha)): Path<(String, String, String)>,
) -> Result<Response, ApiError> {
    let repository =
        app.read(|connection| caller.repository(connection, &owner, &name, Permission::Read))?;
    let git = app.git(&repository);
    let commit = git
        .resolve_commit(&sha)
        .await?
        .ok_or_else(|| ApiError::Unprocessable(format!("No commit found for SHA: {sha}")))?;
    let numbers = git.pulls_containing(&commit).await?;
    let base = app.read(|connection| {
        let mut found = Vec::new();
        for number in numbers {
            found.extend(pulls::by_number(connection, repository.id, number)?);
        }
        found.extend(pulls::merged_by_commit(
            connection,
            repository.id,
            commit.as_str(),
        )?);
        Ok(found)
    })?;
    let mut found = Vec::new();
    for pull in base {
        let known = found
            .iter()
            .any(|other: &pulls::Pull| other.id() == pull.id());
        if !known && brings(&git, &pull, &commit).await? {
            found.push(pull);
        }
    }
    app.show(|view| {
        let total = found.len();
        let items: Result<Vec<_>, _> = paging
            .of(found)
            .iter()
            .map(|pull| simple(view, Some(&caller), &repository, pull))
            .collect();
        Ok(paging.answer(items?, total))
    })
}

/// Whether the commit is the pull request's own, not one of its base branch.
async fn brings(
    git: &crate::git::GitRepository,
    pull: &pulls::Pull,
    commit: &Oid,
) -> Result<bool, ApiError> {
    let merged = pull.merged.as_ref();
    if merged.is_some_and(|merged| merged.commit_sha == commit.as_str()) {
        return Ok(true);
    }
    let Some(base) = Oid::parse(&pull.base_sha) else {
        return Ok(false);
    };
    Ok(!git.is_ancestor(commit, &base).await?)
}

fn read_filter(query: &HashMap<String, String>) -> Result<Filter, ApiError> {
    let invalid = |field| ApiError::invalid("PullRequest", field, "invalid", None);
    let state = match query.get("state").map_or("open", String::as_str) {
        "open" => StateFilter::Open,
        "closed" => StateFilter::Closed,
        "all" => StateFilter::All,
        _ => return Err(invalid("state")),
    };
    let sort = match query.get("sort").map_or("created", String::as_str) {
        // GitHub lists the oldest for "long-running", which is an order by age.
        "created" | "long-running" => Sort::Created,
        "updated" => Sort::Updated,
        "popularity" => Sort::Popularity,
        _ => return Err(invalid("sort")),
    };
    let ascending = match query.get("direction").map(String::as_str) {
        Some("asc") => true,
        Some("desc") => false,
        _ => !matches!(
            query.get("sort").map(String::as_str),
            None | Some("created")
        ),
    };
    // GitHub takes a head without an owner for none.
    let (head_owner, head_ref) = match query.get("head").and_then(|head| head.split_once(':')) {
        Some((owner, branch)) => (Some(owner.to_owned()), Some(branch.to_owned())),
        None => (None, None),
    };
    Ok(Filter {
        state,
        base_ref: query.get("base").cloned(),
        head_ref,
        head_owner,
        label: None,
        sort,
        ascending,
    })
}
