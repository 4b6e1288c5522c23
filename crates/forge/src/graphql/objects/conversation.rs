//! What issues and pull requests have in common, and comments in part: they
//! share the rows.

use async_graphql::{Context, Result};

use super::{
    Actor, IssueCommentConnection, LabelConnection, Milestone, ReactionGroup, Repository, User,
    UserConnection,
};
use crate::error::ApiError;
use crate::graphql::access::{access, read};
use crate::graphql::connection::Page;
use crate::graphql::enums::{
    CommentAuthorAssociation, IssueCommentOrder, LabelOrder, LabelOrderField, ReactionContent,
};
use crate::graphql::objects::issue_comment::IssueComment;
use crate::graphql::objects::label::Label;
use crate::store::reactions::{self, Subject};
use crate::store::repositories::{self as repository_rows, Permission};
use crate::store::{assignees, comments, issues, labels, milestones, users};

pub(super) fn actor(ctx: &Context<'_>, user_id: i64) -> Result<Option<Actor>, ApiError> {
    let user = read(ctx, |connection| Ok(users::by_id(connection, user_id)?))?;
    Ok(Some(user.into()))
}

pub(super) fn association(
    ctx: &Context<'_>,
    repository: &Repository,
    user_id: i64,
) -> Result<CommentAuthorAssociation, ApiError> {
    let word = read(ctx, |connection| {
        let user = users::by_id(connection, user_id)?;
        Ok(repository_rows::association(
            connection,
            &repository.0,
            &user,
        )?)
    })?;
    Ok(CommentAuthorAssociation::of(word))
}

pub(super) fn viewer_did_author(ctx: &Context<'_>, author_id: i64) -> bool {
    let viewer = access(ctx).caller.user.as_ref();
    viewer.is_some_and(|viewer| viewer.id == author_id)
}

/// What whoever asks may do in the repository.
pub(super) fn permission(
    ctx: &Context<'_>,
    repository: &Repository,
) -> Result<Permission, ApiError> {
    let caller = &access(ctx).caller;
    read(ctx, |connection| {
        caller.permission(connection, &repository.0)
    })
}

/// Authors may change and close what is theirs; so may whoever triages.
pub(super) fn viewer_can_change(
    ctx: &Context<'_>,
    repository: &Repository,
    author_id: i64,
) -> Result<bool, ApiError> {
    if repository.0.archived {
        return Ok(false);
    }
    Ok(viewer_did_author(ctx, author_id) || permission(ctx, repository)? >= Permission::Triage)
}

pub(super) fn assigned(
    ctx: &Context<'_>,
    page: &Page,
    issue_id: i64,
) -> Result<UserConnection, ApiError> {
    let rows = read(ctx, |connection| {
        Ok(assignees::of_issue(connection, issue_id)?)
    })?;
    Ok(UserConnection::of(page, rows, |row| row.id, User))
}

pub(super) fn labels_of(
    ctx: &Context<'_>,
    page: &Page,
    order: Option<LabelOrder>,
    repository: &Repository,
    issue_id: i64,
) -> Result<LabelConnection, ApiError> {
    let rows = read(ctx, |connection| {
        Ok(labels::of_issue(connection, issue_id)?)
    })?;
    Ok(sorted_labels(page, rows, order, repository))
}

/// By age, where nothing else is asked for.
pub(super) fn sorted_labels(
    page: &Page,
    mut rows: Vec<labels::Label>,
    order: Option<LabelOrder>,
    repository: &Repository,
) -> LabelConnection {
    match order.map(|order| order.field) {
        Some(LabelOrderField::Name) => {
            rows.sort_by_cached_key(|label| label.name.to_lowercase());
        }
        Some(LabelOrderField::CreatedAt) | None => rows.sort_by_key(|label| label.id),
    }
    if order.is_some_and(|order| order.is_descending()) {
        rows.reverse();
    }
    LabelConnection::of(
        page,
        rows,
        |row| row.id,
        |row| Label {
            row,
            repository: repository.clone(),
        },
    )
}

pub(super) fn comments_of(
    ctx: &Context<'_>,
    page: &Page,
    order: Option<IssueCommentOrder>,
    repository: &Repository,
    issue: &issues::Issue,
) -> Result<IssueCommentConnection, ApiError> {
    let mut rows = read(ctx, |connection| {
        Ok(comments::of_issue(connection, issue.id)?)
    })?;
    if let Some(order) = order {
        rows.sort_by(|one, other| one.updated_at.cmp(&other.updated_at));
        if order.is_descending() {
            rows.reverse();
        }
    }
    let node = |row| IssueComment {
        row,
        repository: repository.clone(),
        on_pull: issue.is_pull,
        number: issue.number,
    };
    Ok(IssueCommentConnection::of(page, rows, |row| row.id, node))
}

/// The author, then whoever said something.
pub(super) fn participants(
    ctx: &Context<'_>,
    page: &Page,
    issue: &issues::Issue,
) -> Result<UserConnection, ApiError> {
    let rows = read(ctx, |connection| {
        let mut ids = vec![issue.author_id];
        for comment in comments::of_issue(connection, issue.id)? {
            if !ids.contains(&comment.author_id) {
                ids.push(comment.author_id);
            }
        }
        let rows = ids.into_iter().map(|id| users::by_id(connection, id));
        Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
    })?;
    Ok(UserConnection::of(page, rows, |row| row.id, User))
}

pub(super) fn milestone_of(
    ctx: &Context<'_>,
    repository: &Repository,
    issue: &issues::Issue,
) -> Result<Option<Milestone>, ApiError> {
    let Some(id) = issue.milestone_id else {
        return Ok(None);
    };
    let row = read(ctx, |connection| Ok(milestones::by_id(connection, id)?))?;
    Ok(Some(Milestone {
        row,
        repository: repository.clone(),
    }))
}

/// All eight, also those that nobody gave, as GitHub does.
pub(super) fn reaction_groups(
    ctx: &Context<'_>,
    subject: Subject,
    subject_id: i64,
) -> Result<Option<Vec<ReactionGroup>>, ApiError> {
    let rows = read(ctx, |connection| {
        Ok(reactions::of_subject(connection, subject, subject_id)?)
    })?;
    let groups = ReactionContent::ALL
        .into_iter()
        .map(|content| ReactionGroup {
            content,
            reactions: rows
                .iter()
                .filter(|row| row.content == content.as_str())
                .cloned()
                .collect(),
        });
    Ok(Some(groups.collect()))
}
