//! Whether a pull request needs a check to be merged.

use async_graphql::{Context, ID, Interface, Result};

use super::{CheckRun, Repository, StatusContext};
use crate::actions::rules::{self, Rule};
use crate::error::ApiError;
use crate::graphql::access::read;
use crate::graphql::errors::QueryError;
use crate::node_id::{Kind, NodeId, parse};
use crate::store::pulls;

#[derive(Interface)]
#[graphql(field(
    name = "is_required",
    ty = "bool",
    arg(name = "pull_request_id", ty = "Option<ID>"),
    arg(name = "pull_request_number", ty = "Option<i32>")
))]
pub(in crate::graphql) enum RequirableByPullRequest {
    CheckRun(CheckRun),
    StatusContext(StatusContext),
}

/// The pull request is named by its id or by its number; the check by its name
/// and by the app that reported it.
pub(super) fn is_required(
    ctx: &Context<'_>,
    repository: &Repository,
    (id, number): (Option<ID>, Option<i32>),
    (name, app_id): (&str, Option<i64>),
) -> Result<bool> {
    let pull = match (id, number) {
        (Some(id), _) => {
            let Some(NodeId::Numbered(Kind::PullRequest, row)) = parse(&id) else {
                return Err(QueryError::unknown_id(&id).into());
            };
            read(ctx, |connection| {
                let pull = pulls::by_id(connection, row)?;
                let here = pull.filter(|pull| pull.issue.repository_id == repository.0.id);
                here.ok_or(ApiError::NotFound)
            })?
        }
        (None, Some(number)) => read(ctx, |connection| {
            pulls::by_number(connection, repository.0.id, i64::from(number))?
                .ok_or(ApiError::NotFound)
        })?,
        (None, None) => {
            return Err(QueryError::unprocessable(
                "Either `pullRequestId` or `pullRequestNumber` is required.",
            )
            .into());
        }
    };
    let applied = read(ctx, |connection| {
        rules::for_branch(connection, &repository.0, &pull.base_ref)
    })?;
    Ok(applied.iter().any(|applied| match &applied.rule {
        Rule::Checks(rule) => rule.checks.iter().any(|check| {
            let by_anybody = check.app_id.is_none();
            check.context == name && (by_anybody || check.app_id == app_id)
        }),
        _ => false,
    }))
}
