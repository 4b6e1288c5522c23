//! Things by their global id, as far as the caller may see them.

use async_graphql::{Context, Result};
use rusqlite::{Connection, OptionalExtension as _};

use super::access::{access, read};
use super::errors::QueryError;
use super::objects::{
    BranchProtectionRule, CheckRun, CheckSuite, Issue, IssueComment, Label, Milestone, PullRequest,
    PullRequestReview, PullRequestReviewComment, PullRequestReviewThread, Reactable, Repository,
    StatusContext, Subject, Workflow, WorkflowRun,
};
use crate::error::ApiError;
use crate::node_id::{Kind, NodeId, parse};
use crate::store::reviews::ReviewState;
use crate::store::users::{self, User, UserKind};
use crate::store::{
    branch_protections, check_runs, check_suites, comments, commit_statuses, issues, labels,
    milestones, pulls, review_threads, reviews, workflow_runs, workflows,
};

/// The number in an id of this kind.
fn number(id: &str, kind: Kind) -> Result<i64, QueryError> {
    match parse(id) {
        Some(NodeId::Numbered(found, number)) if found == kind => Ok(number),
        _ => Err(QueryError::unknown_id(id)),
    }
}

fn found<T>(id: &str, found: Option<T>) -> Result<T> {
    found.ok_or_else(|| QueryError::unknown_id(id).into())
}

pub(super) fn repository(ctx: &Context<'_>, id: &str) -> Result<Repository> {
    found(id, Repository::visible(ctx, number(id, Kind::Repository)?)?)
}

/// A user, an organisation or a bot.
pub(super) fn account(ctx: &Context<'_>, id: &str) -> Result<User> {
    let Some(NodeId::Numbered(kind, number)) = parse(id) else {
        return Err(QueryError::unknown_id(id).into());
    };
    let row = read(ctx, |connection| {
        Ok(users::by_id(connection, number).optional()?)
    })?;
    found(id, row.filter(|row| account_kind(row.kind) == kind))
}

fn account_kind(kind: UserKind) -> Kind {
    match kind {
        UserKind::User => Kind::User,
        UserKind::Organization => Kind::Organization,
        UserKind::Bot => Kind::Bot,
    }
}

/// The logins of accounts.
pub(super) fn logins(ctx: &Context<'_>, ids: &[async_graphql::ID]) -> Result<Vec<String>> {
    let logins = ids.iter().map(|id| Ok(account(ctx, id)?.login));
    logins.collect()
}

pub(super) fn issue(ctx: &Context<'_>, id: &str) -> Result<Issue> {
    match subject(ctx, id)? {
        Subject::Issue(issue) => Ok(issue),
        Subject::PullRequest(_) => Err(QueryError::unknown_id(id).into()),
    }
}

pub(super) fn pull_request(ctx: &Context<'_>, id: &str) -> Result<PullRequest> {
    match subject(ctx, id)? {
        Subject::PullRequest(pull) => Ok(pull),
        Subject::Issue(_) => Err(QueryError::unknown_id(id).into()),
    }
}

/// An issue or a pull request.
pub(super) fn subject(ctx: &Context<'_>, id: &str) -> Result<Subject> {
    let (kind, number) = match parse(id) {
        Some(NodeId::Numbered(kind @ (Kind::Issue | Kind::PullRequest), number)) => (kind, number),
        _ => return Err(QueryError::unknown_id(id).into()),
    };
    let row = read(ctx, |connection| {
        Ok(issues::by_id(connection, number).optional()?)
    })?;
    let row = found(
        id,
        row.filter(|row| row.is_pull == (kind == Kind::PullRequest)),
    )?;
    let repository = found(id, Repository::visible(ctx, row.repository_id)?)?;
    if kind == Kind::Issue {
        return Ok(Subject::Issue(Issue::new(row, repository)));
    }
    let row = read(ctx, |connection| Ok(pulls::by_id(connection, number)?))?;
    Ok(Subject::PullRequest(PullRequest::new(
        found(id, row)?,
        repository,
    )))
}

/// The pull request with this row.
fn pull_of(ctx: &Context<'_>, id: &str, row: i64) -> Result<PullRequest> {
    let row = read(ctx, |connection| Ok(pulls::by_id(connection, row)?))?;
    let row = found(id, row)?;
    let repository = found(id, Repository::visible(ctx, row.issue.repository_id)?)?;
    Ok(PullRequest::new(row, repository))
}

pub(super) fn issue_comment(ctx: &Context<'_>, id: &str) -> Result<IssueComment> {
    let number = number(id, Kind::IssueComment)?;
    let row = read(ctx, |connection| Ok(comments::by_id(connection, number)?))?;
    let row = found(id, row)?;
    let issue = read(ctx, |connection| {
        Ok(issues::by_id(connection, row.issue_id)?)
    })?;
    let repository = found(id, Repository::visible(ctx, issue.repository_id)?)?;
    Ok(IssueComment {
        row,
        repository,
        on_pull: issue.is_pull,
        number: issue.number,
    })
}

/// A pending one is there for its author alone.
pub(super) fn review(ctx: &Context<'_>, id: &str) -> Result<PullRequestReview> {
    let number = number(id, Kind::Review)?;
    let row = read(ctx, |connection| Ok(reviews::by_id(connection, number)?))?;
    let row = found(id, row.filter(|row| is_shown(ctx, row)))?;
    let pull = pull_of(ctx, id, row.pull_id)?;
    Ok(PullRequestReview::new(row, pull))
}

fn is_shown(ctx: &Context<'_>, review: &reviews::Review) -> bool {
    let viewer = access(ctx).caller.user.as_ref();
    review.state != ReviewState::Pending || viewer.is_some_and(|user| user.id == review.user.id)
}

pub(super) fn review_comment(ctx: &Context<'_>, id: &str) -> Result<PullRequestReviewComment> {
    let number = number(id, Kind::ReviewComment)?;
    let found_rows = read(ctx, |connection| {
        let Some(row) = review_threads::comment(connection, number)? else {
            return Ok(None);
        };
        let review = reviews::by_id(connection, row.review_id)?;
        Ok(review.map(|review| (row, review)))
    })?;
    let (row, review) = found(id, found_rows.filter(|(_, review)| is_shown(ctx, review)))?;
    let pull = pull_of(ctx, id, review.pull_id)?;
    Ok(PullRequestReviewComment::new(row, pull))
}

pub(super) fn review_thread(ctx: &Context<'_>, id: &str) -> Result<PullRequestReviewThread> {
    let number = number(id, Kind::ReviewThread)?;
    let viewer = access(ctx).caller.user.as_ref().map(|user| user.id);
    let row = read(ctx, |connection| {
        let said = review_threads::comments_of_thread(connection, number, viewer)?;
        if said.is_empty() {
            return Ok(None);
        }
        Ok(review_threads::by_id(connection, number)?)
    })?;
    let row = found(id, row)?;
    let pull = pull_of(ctx, id, row.pull_id)?;
    Ok(PullRequestReviewThread::new(row, pull))
}

pub(super) fn reactable(ctx: &Context<'_>, id: &str) -> Result<Reactable> {
    Ok(match parse(id) {
        Some(NodeId::Numbered(Kind::IssueComment, _)) => {
            Reactable::IssueComment(issue_comment(ctx, id)?)
        }
        Some(NodeId::Numbered(Kind::Review, _)) => Reactable::PullRequestReview(review(ctx, id)?),
        Some(NodeId::Numbered(Kind::ReviewComment, _)) => {
            Reactable::PullRequestReviewComment(review_comment(ctx, id)?)
        }
        _ => match subject(ctx, id)? {
            Subject::Issue(issue) => Reactable::Issue(issue),
            Subject::PullRequest(pull) => Reactable::PullRequest(pull),
        },
    })
}

/// Something that belongs to a repository directly: the row, and where.
fn within<T>(
    ctx: &Context<'_>,
    id: &str,
    kind: Kind,
    find: impl FnOnce(&Connection, i64) -> rusqlite::Result<Option<T>>,
    home: impl FnOnce(&T) -> i64,
) -> Result<(T, Repository)> {
    let number = number(id, kind)?;
    let row = read(ctx, |connection| -> Result<_, ApiError> {
        Ok(find(connection, number)?)
    })?;
    let row = found(id, row)?;
    let repository = found(id, Repository::visible(ctx, home(&row))?)?;
    Ok((row, repository))
}

pub(super) fn label(ctx: &Context<'_>, id: &str) -> Result<Label> {
    let (row, repository) = within(ctx, id, Kind::Label, labels::by_id, |row| row.repository_id)?;
    Ok(Label { row, repository })
}

pub(super) fn milestone(ctx: &Context<'_>, id: &str) -> Result<Milestone> {
    let find = |connection: &Connection, id| milestones::by_id(connection, id).optional();
    let (row, repository) = within(ctx, id, Kind::Milestone, find, |row| row.repository_id)?;
    Ok(Milestone { row, repository })
}

pub(super) fn check_run(ctx: &Context<'_>, id: &str) -> Result<CheckRun> {
    let home = |row: &check_runs::CheckRun| row.repository_id;
    let (row, repository) = within(ctx, id, Kind::CheckRun, check_runs::by_id, home)?;
    Ok(CheckRun::new(row, repository))
}

pub(super) fn check_suite(ctx: &Context<'_>, id: &str) -> Result<CheckSuite> {
    let home = |row: &check_suites::CheckSuite| row.repository_id;
    let (row, repository) = within(ctx, id, Kind::CheckSuite, check_suites::by_id, home)?;
    Ok(CheckSuite::new(row, repository))
}

pub(super) fn status_context(ctx: &Context<'_>, id: &str) -> Result<StatusContext> {
    let home = |row: &commit_statuses::CommitStatus| row.repository_id;
    let (row, repository) = within(ctx, id, Kind::StatusContext, commit_statuses::by_id, home)?;
    Ok(StatusContext { row, repository })
}

pub(super) fn workflow(ctx: &Context<'_>, id: &str) -> Result<Workflow> {
    let home = |row: &workflows::Workflow| row.repository_id;
    let (row, repository) = within(ctx, id, Kind::Workflow, workflows::by_id, home)?;
    Ok(Workflow { row, repository })
}

pub(super) fn workflow_run(ctx: &Context<'_>, id: &str) -> Result<WorkflowRun> {
    let home = |row: &workflow_runs::WorkflowRun| row.repository_id;
    let (row, repository) = within(ctx, id, Kind::WorkflowRun, workflow_runs::by_id, home)?;
    Ok(WorkflowRun::new(row, repository))
}

pub(super) fn branch_protection_rule(ctx: &Context<'_>, id: &str) -> Result<BranchProtectionRule> {
    let home = |row: &branch_protections::BranchProtection| row.repository_id;
    let kind = Kind::BranchProtectionRule;
    let (row, repository) = within(ctx, id, kind, branch_protections::by_id, home)?;
    Ok(BranchProtectionRule { row, repository })
}
