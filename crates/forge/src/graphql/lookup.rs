//! Things by their global id, as far as the caller may see them.

use std::sync::Arc;

use baton_host::git::Oid;
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::Value;

use super::context::Context;
use super::errors::QueryError;
use super::object::{Object, Output, Resolved, maybe, one, plain};
use super::objects::{
    Account, BranchProtectionRule, CheckSuite, ForcePush, Issue, IssueComment, Label, MergeQueue,
    PullRequest, Ref, Repo, Report, Review, ReviewComment, Thread, Workflow, WorkflowRun, app,
    git_object, visible,
};
use crate::node_id::{Kind, NodeId, parse};
use crate::store::repositories::Repository;
use crate::store::users::{self, User, UserKind};
use crate::store::{
    apps, branch_protections, check_runs, check_suites, comments, commit_statuses, issues, labels,
    pulls, review_threads, reviews, timeline, workflow_runs, workflows,
};

type Found<T> = Result<T, QueryError>;

/// Whatever the id stands for.
pub(super) async fn node(cx: &Context, id: &str) -> Resolved {
    let found = match parse(id) {
        Some(NodeId::Numbered(kind, number)) => numbered(cx, id, kind, number)?,
        Some(NodeId::Named(kind, repository, name)) => {
            let repository = found(id, visible(cx, repository)?)?;
            match kind {
                Kind::Ref => maybe(Ref::find(cx, &repository, &name)?)?,
                Kind::MergeQueue => maybe(MergeQueue::for_branch(cx, &repository, &name)?)?,
                Kind::Commit | Kind::Tree | Kind::Blob | Kind::Tag => match Oid::parse(&name) {
                    Some(oid) => git_object(cx, &repository, &oid).await?,
                    None => Output::Plain(Value::Null),
                },
                _ => Output::Plain(Value::Null),
            }
        }
        None => Output::Plain(Value::Null),
    };
    match found {
        Output::Plain(Value::Null) => Err(QueryError::unknown_id(id)),
        found => Ok(found),
    }
}

fn numbered(cx: &Context, id: &str, kind: Kind, number: i64) -> Resolved {
    match kind {
        Kind::User | Kind::Organization | Kind::Bot => one(Account(account(cx, id)?)),
        Kind::App => {
            let row = cx.rows(|conn| apps::by_id(conn, number).optional())?;
            found(id, row)?;
            app(cx, number)
        }
        Kind::Repository => one(Repo(repository(cx, id)?)),
        Kind::Issue => one(issue(cx, id)?),
        Kind::PullRequest => one(pull_request(cx, id)?),
        Kind::IssueComment => one(issue_comment(cx, id)?),
        Kind::Review => one(review(cx, id)?),
        Kind::ReviewComment => review_comment(cx, id, number),
        Kind::ReviewThread => one(review_thread(cx, id)?),
        Kind::Label => {
            let (row, repository) = label(cx, id)?;
            one(Label(row, repository))
        }
        Kind::HeadRefForcePushedEvent | Kind::BaseRefForcePushedEvent => {
            let row = found(id, cx.rows(|conn| timeline::by_id(conn, number))?)?;
            let pull = pull_of(cx, id, row.issue_id)?;
            one(found(id, ForcePush::new(row, &pull))?)
        }
        Kind::CheckRun => within(cx, id, number, check_runs::by_id, Report::check_run),
        Kind::CheckSuite => within(cx, id, number, check_suites::by_id, CheckSuite),
        Kind::StatusContext => within(cx, id, number, commit_statuses::by_id, Report::status),
        Kind::Workflow => within(cx, id, number, workflows::by_id, Workflow),
        Kind::WorkflowRun => within(cx, id, number, workflow_runs::by_id, WorkflowRun),
        Kind::BranchProtectionRule => within(
            cx,
            id,
            number,
            branch_protections::by_id,
            BranchProtectionRule,
        ),
        _ => plain(Value::Null),
    }
}

fn found<T>(id: &str, found: Option<T>) -> Found<T> {
    found.ok_or_else(|| QueryError::unknown_id(id))
}

/// The number in an id of this kind.
fn number(id: &str, kind: Kind) -> Found<i64> {
    match parse(id) {
        Some(NodeId::Numbered(found, number)) if found == kind => Ok(number),
        _ => Err(QueryError::unknown_id(id)),
    }
}

/// What belongs to a repository directly.
trait InRepository {
    fn home(&self) -> i64;
}

macro_rules! in_repository {
    ($($row:ty),* $(,)?) => {
        $(impl InRepository for $row {
            fn home(&self) -> i64 {
                self.repository_id
            }
        })*
    };
}
in_repository! {
    branch_protections::BranchProtection, check_runs::CheckRun, check_suites::CheckSuite,
    commit_statuses::CommitStatus, workflow_runs::WorkflowRun, workflows::Workflow,
}

fn within<T: InRepository, O: Object>(
    cx: &Context,
    id: &str,
    number: i64,
    find: impl FnOnce(&Connection, i64) -> rusqlite::Result<Option<T>>,
    make: impl FnOnce(T, Arc<Repository>) -> O,
) -> Resolved {
    let row = found(id, cx.rows(|conn| find(conn, number))?)?;
    let repository = found(id, visible(cx, row.home())?)?;
    one(make(row, repository))
}

pub(super) fn repository(cx: &Context, id: &str) -> Found<Arc<Repository>> {
    found(id, visible(cx, number(id, Kind::Repository)?)?)
}

/// A user, an organisation or a bot.
pub(super) fn account(cx: &Context, id: &str) -> Found<User> {
    let Some(NodeId::Numbered(kind, number)) = parse(id) else {
        return Err(QueryError::unknown_id(id));
    };
    let row = cx.rows(|conn| users::by_id(conn, number).optional())?;
    let row = row.filter(|row| match row.kind {
        UserKind::User => kind == Kind::User,
        UserKind::Organization => kind == Kind::Organization,
        UserKind::Bot => kind == Kind::Bot,
    });
    found(id, row)
}

/// The logins of accounts.
pub(super) fn logins(cx: &Context, ids: &[String]) -> Found<Vec<String>> {
    ids.iter().map(|id| Ok(account(cx, id)?.login)).collect()
}

/// An issue or a pull request: the row that both have, and where.
pub(super) fn subject(cx: &Context, id: &str) -> Found<Issue> {
    let Some(NodeId::Numbered(kind @ (Kind::Issue | Kind::PullRequest), number)) = parse(id) else {
        return Err(QueryError::unknown_id(id));
    };
    let row = cx.rows(|conn| issues::by_id(conn, number).optional())?;
    let row = row.filter(|row| row.is_pull == (kind == Kind::PullRequest));
    let row = found(id, row)?;
    let repository = found(id, visible(cx, row.repository_id)?)?;
    Ok(Issue { row, repository })
}

pub(super) fn issue(cx: &Context, id: &str) -> Found<Issue> {
    let issue = subject(cx, id)?;
    found(id, (!issue.row.is_pull).then_some(issue))
}

pub(super) fn pull_request(cx: &Context, id: &str) -> Found<PullRequest> {
    pull_of(cx, id, number(id, Kind::PullRequest)?)
}

/// The pull request with this row.
fn pull_of(cx: &Context, id: &str, row: i64) -> Found<PullRequest> {
    let row = found(id, cx.rows(|conn| pulls::by_id(conn, row))?)?;
    let repository = found(id, visible(cx, row.issue.repository_id)?)?;
    Ok(PullRequest::new(row, &repository))
}

pub(super) fn label(cx: &Context, id: &str) -> Found<(labels::Label, Arc<Repository>)> {
    let number = number(id, Kind::Label)?;
    let row = found(id, cx.rows(|conn| labels::by_id(conn, number))?)?;
    let repository = found(id, visible(cx, row.repository_id)?)?;
    Ok((row, repository))
}

pub(super) fn issue_comment(cx: &Context, id: &str) -> Found<IssueComment> {
    let number = number(id, Kind::IssueComment)?;
    let row = found(id, cx.rows(|conn| comments::by_id(conn, number))?)?;
    let issue = cx.rows(|conn| issues::by_id(conn, row.issue_id))?;
    let repository = found(id, visible(cx, issue.repository_id)?)?;
    Ok(IssueComment {
        row,
        issue,
        repository,
    })
}

pub(super) fn review(cx: &Context, id: &str) -> Found<Review> {
    let number = number(id, Kind::Review)?;
    let row = cx.rows(|conn| reviews::by_id(conn, number))?;
    let viewer = cx.viewer_id();
    let row = found(id, row.filter(|row| row.is_visible_to(viewer)))?;
    let pull = pull_of(cx, id, row.pull_id)?;
    Ok(Review(row, pull))
}

fn review_comment(cx: &Context, id: &str, number: i64) -> Resolved {
    let row = cx.rows(|conn| review_threads::comment(conn, number))?;
    let row = found(id, row)?;
    let review = cx.rows(|conn| reviews::by_id(conn, row.review_id))?;
    let viewer = cx.viewer_id();
    let review = found(id, review.filter(|review| review.is_visible_to(viewer)))?;
    one(ReviewComment(row, pull_of(cx, id, review.pull_id)?))
}

pub(super) fn review_thread(cx: &Context, id: &str) -> Found<Thread> {
    let number = number(id, Kind::ReviewThread)?;
    let row = found(id, cx.rows(|conn| review_threads::by_id(conn, number))?)?;
    let published = review_threads::comments_of_thread;
    if cx.rows(|conn| published(conn, number))?.is_empty() {
        return found(id, None);
    }
    let pull = pull_of(cx, id, row.pull_id)?;
    Ok(Thread(row, pull))
}
