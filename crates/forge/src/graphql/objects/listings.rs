//! Lists of repositories, pull requests and issues, with the filters that GitHub has.

use super::{Issue, PullRequest, Repo};
use crate::graphql::prelude::*;
use crate::store::issue_lists::{self, IssueList, ListSort, ListedState};
use crate::store::repositories;
use crate::store::users::User;
use crate::store::{issues, pulls};

/// Pull requests of a repository; of one head branch, where it is given.
pub(super) fn pulls(
    cx: &Context,
    field: &Field<'_>,
    repository: &Arc<Repository>,
    head: Option<&str>,
) -> Resolved {
    let mut list = IssueList {
        repository_id: Some(repository.id),
        pulls: true,
        states: states(field.arguments.texts("states")),
        labels: field.arguments.texts("labels").unwrap_or_default(),
        base_ref: field.arguments.owned("baseRefName"),
        head_ref: head
            .or_else(|| field.arguments.text("headRefName"))
            .map(str::to_owned),
        ..IssueList::default()
    };
    order(&mut list, field);
    let page = field.page()?;
    let ids = cx.rows(|conn| issue_lists::ids(conn, &list))?;
    one(Connection::keyed(&page, &ids, |id| {
        let row = cx.read(|conn| pulls::by_id(conn, id)?.ok_or(ApiError::NotFound))?;
        Ok(PullRequest::new(row, repository))
    })?)
}

pub(super) fn issues(cx: &Context, field: &Field<'_>, repository: &Arc<Repository>) -> Resolved {
    let filter = field.arguments.input("filterBy").unwrap_or_default();
    let texts = |key: &str| field.arguments.texts(key).or_else(|| filter.texts(key));
    let mut list = IssueList {
        repository_id: Some(repository.id),
        states: states(texts("states")),
        labels: texts("labels").unwrap_or_default(),
        assignee: filter.owned("assignee"),
        author: filter.owned("createdBy"),
        mentioned: filter.owned("mentioned"),
        since: filter.owned("since"),
        ..IssueList::default()
    };
    order(&mut list, field);
    let page = field.page()?;
    let ids = cx.rows(|conn| issue_lists::ids(conn, &list))?;
    one(Connection::keyed(&page, &ids, |id| {
        let row = cx.rows(|conn| issues::by_id(conn, id))?;
        Ok(Issue::new(row, repository))
    })?)
}

fn states(names: Option<Vec<String>>) -> Vec<ListedState> {
    let names = names.unwrap_or_default();
    let states = names.iter().map(|name| match name.as_str() {
        "OPEN" => ListedState::Open,
        "MERGED" => ListedState::Merged,
        _ => ListedState::Closed,
    });
    states.collect()
}

fn order(list: &mut IssueList, field: &Field<'_>) {
    if let Some((by, descending)) = field.arguments.order() {
        list.sort = match by.as_str() {
            "UPDATED_AT" => ListSort::Updated,
            "COMMENTS" => ListSort::Comments,
            _ => ListSort::Created,
        };
        list.descending = descending;
    }
}

/// Those of the account, and those that it may change, as far as the caller may see them.
pub(super) fn repositories_of(cx: &Context, field: &Field<'_>, account: &User) -> Resolved {
    let arguments = &field.arguments;
    // GitHub's default is both.
    let affiliations = arguments.texts("ownerAffiliations");
    let wants = |name: &str| {
        let wanted = affiliations.as_ref();
        wanted.is_none_or(|wanted| wanted.iter().any(|one| one == name))
    };
    let is_private = |key: &str| arguments.text(key).map(|word| word == "PRIVATE");
    let fits = |row: &Repository| {
        is_private("privacy").is_none_or(|private| private == row.private)
            && is_private("visibility").is_none_or(|private| private == row.private)
            && (arguments.flag("isFork")).is_none_or(|fork| fork == row.fork_of.is_some())
            && (arguments.flag("isArchived")).is_none_or(|archived| archived == row.archived)
    };
    let mut rows = cx.read(|conn| {
        let mut rows = Vec::new();
        if wants("OWNER") {
            rows.extend(repositories::for_owner(conn, account.id)?);
        }
        if wants("COLLABORATOR") {
            rows.extend(repositories::for_collaborator(conn, account.id)?);
        }
        Ok(rows)
    })?;
    rows.retain(fits);
    rows.sort_by_key(|row| row.id);
    listed(cx, field, rows, Permission::Read)
}

/// With `affiliations`, only those of the caller, and those that they may change.
pub(super) fn forks(cx: &Context, field: &Field<'_>, repository: &Repository) -> Resolved {
    let needed = match field.arguments.get("affiliations") {
        Some(_) => Permission::Write,
        None => Permission::Read,
    };
    let rows = cx.rows(|conn| repositories::forks_of(conn, repository.id))?;
    listed(cx, field, rows, needed)
}

fn listed(cx: &Context, field: &Field<'_>, rows: Vec<Repository>, needed: Permission) -> Resolved {
    let mut visible = Vec::new();
    for row in rows {
        if cx.permission(&row)? >= needed {
            visible.push(row);
        }
    }
    sort(&mut visible, field);
    field.list(visible, |row| row.id, |row| Repo(Arc::new(row)))
}

fn sort(rows: &mut [Repository], field: &Field<'_>) {
    let Some((by, descending)) = field.arguments.order() else {
        return;
    };
    match by.as_str() {
        "CREATED_AT" => rows.sort_by_cached_key(|row| row.created_at.clone()),
        "UPDATED_AT" => rows.sort_by_cached_key(|row| row.updated_at.clone()),
        "PUSHED_AT" => rows.sort_by_cached_key(|row| row.pushed_at.clone()),
        "NAME" => rows.sort_by_cached_key(|row| row.name.to_lowercase()),
        // Nothing can be starred here: all are equal.
        _ => {}
    }
    if descending {
        rows.reverse();
    }
}

/// A row that has to be there.
pub(super) fn found<T>(row: Option<T>) -> Result<T, QueryError> {
    Ok(row.ok_or(ApiError::NotFound)?)
}
