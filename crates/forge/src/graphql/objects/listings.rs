//! Lists of pull requests and of issues, with the filters that GitHub has.

use async_graphql::{Context, InputObject};

use super::{Issue, IssueConnection, PullRequest, PullRequestConnection, Repository};
use crate::error::ApiError;
use crate::graphql::access::read;
use crate::graphql::connection::{Connection, Page};
use crate::graphql::enums::{IssueOrder, IssueState, PullRequestState};
use crate::graphql::scalars::DateTime;
use crate::store::issue_lists::{self, IssueList};
use crate::store::{issues, milestones, pulls};

pub(super) struct PullRequestListing {
    pub(super) states: Option<Vec<PullRequestState>>,
    pub(super) labels: Option<Vec<String>>,
    pub(super) head_ref_name: Option<String>,
    pub(super) base_ref_name: Option<String>,
    pub(super) order_by: Option<IssueOrder>,
}

pub(super) fn listed_pulls(
    ctx: &Context<'_>,
    page: &Page,
    repository: &Repository,
    listing: PullRequestListing,
) -> Result<PullRequestConnection, ApiError> {
    let states = listing.states.unwrap_or_default();
    let mut list = IssueList {
        repository_id: Some(repository.0.id),
        pulls: true,
        states: states.into_iter().map(Into::into).collect(),
        labels: listing.labels.unwrap_or_default(),
        base_ref: listing.base_ref_name,
        head_ref: listing.head_ref_name,
        ..IssueList::default()
    };
    order(&mut list, listing.order_by);
    read(ctx, |connection| {
        let ids = issue_lists::ids(connection, &list)?;
        Connection::keyed(page, &ids, |id| {
            let row = pulls::by_id(connection, id)?.ok_or(ApiError::NotFound)?;
            Ok(PullRequest::new(row, repository.clone()))
        })
    })
}

#[derive(Default, InputObject)]
pub(in crate::graphql) struct IssueFilters {
    assignee: Option<String>,
    created_by: Option<String>,
    labels: Option<Vec<String>>,
    mentioned: Option<String>,
    /// Its number, as text; `*` for any.
    milestone_number: Option<String>,
    since: Option<DateTime>,
    states: Option<Vec<IssueState>>,
}

pub(super) struct IssueListing {
    pub(super) states: Option<Vec<IssueState>>,
    pub(super) labels: Option<Vec<String>>,
    pub(super) filter_by: Option<IssueFilters>,
    pub(super) order_by: Option<IssueOrder>,
}

pub(super) fn listed_issues(
    ctx: &Context<'_>,
    page: &Page,
    repository: &Repository,
    listing: IssueListing,
) -> Result<IssueConnection, ApiError> {
    let filter = listing.filter_by.unwrap_or_default();
    let states = listing.states.or(filter.states).unwrap_or_default();
    let mut list = IssueList {
        repository_id: Some(repository.0.id),
        states: states.into_iter().map(Into::into).collect(),
        labels: listing.labels.or(filter.labels).unwrap_or_default(),
        assignee: filter.assignee,
        author: filter.created_by,
        mentioned: filter.mentioned,
        since: filter.since.map(|since| since.0),
        ..IssueList::default()
    };
    order(&mut list, listing.order_by);
    read(ctx, |connection| {
        if let Some(number) = &filter.milestone_number {
            let number = number.parse().unwrap_or_default();
            let found = milestones::by_number(connection, repository.0.id, number)?;
            // No row has the id 0: a milestone that is not there has no issues.
            list.milestone_id = Some(found.map_or(0, |milestone| milestone.id));
        }
        let ids = issue_lists::ids(connection, &list)?;
        Connection::keyed(page, &ids, |id| {
            Ok(Issue::new(
                issues::by_id(connection, id)?,
                repository.clone(),
            ))
        })
    })
}

fn order(list: &mut IssueList, order: Option<IssueOrder>) {
    if let Some(order) = order {
        list.sort = order.field.into();
        list.descending = order.is_descending();
    }
}
