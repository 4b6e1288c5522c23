//! The interfaces that several types share.

use async_graphql::{Context, ID, Interface, Result};
use baton_host::git::Oid;
use rusqlite::OptionalExtension as _;

use super::{
    App, Blob, Bot, BranchProtectionRule, CheckRun, CheckSuite, Commit, GitObject, Issue,
    IssueComment, Label, LabelConnection, MergeQueue, Milestone, Organization, PullRequest,
    PullRequestReview, PullRequestReviewComment, PullRequestReviewThread, ReactionGroup, Ref,
    Repository, StatusContext, Tag, Team, Tree, User, UserConnection, Workflow, WorkflowRun,
    conversation,
};
use crate::graphql::access::read;
use crate::graphql::enums::{LabelOrder, LockReason};
use crate::graphql::errors::QueryError;
use crate::graphql::lookup;
use crate::graphql::scalars::{DateTime, Uri};
use crate::node_id::{Kind, NodeId, parse};
use crate::store::users::UserKind;
use crate::store::{apps, reactions};

/// Whatever has an id.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID"))]
pub(in crate::graphql) enum Node {
    App(App),
    Blob(Blob),
    Bot(Bot),
    BranchProtectionRule(BranchProtectionRule),
    CheckRun(CheckRun),
    CheckSuite(CheckSuite),
    Commit(Commit),
    Issue(Issue),
    IssueComment(IssueComment),
    Label(Label),
    MergeQueue(MergeQueue),
    Milestone(Milestone),
    Organization(Organization),
    PullRequest(PullRequest),
    PullRequestReview(PullRequestReview),
    PullRequestReviewComment(PullRequestReviewComment),
    PullRequestReviewThread(PullRequestReviewThread),
    Ref(Ref),
    Repository(Repository),
    StatusContext(StatusContext),
    Tag(Tag),
    Team(Team),
    Tree(Tree),
    User(User),
    Workflow(Workflow),
    WorkflowRun(WorkflowRun),
}

impl Node {
    /// What the id stands for, as far as the caller may see it.
    pub(in crate::graphql) async fn load(ctx: &Context<'_>, id: &str) -> Result<Self> {
        match parse(id) {
            Some(NodeId::Numbered(kind, number)) => Self::numbered(ctx, id, kind, number),
            Some(NodeId::Named(kind, repository, name)) => {
                let found = match Repository::visible(ctx, repository)? {
                    Some(repository) => Self::named(ctx, kind, &repository, name).await?,
                    None => None,
                };
                found.ok_or_else(|| QueryError::unknown_id(id).into())
            }
            None => Err(QueryError::unknown_id(id).into()),
        }
    }

    fn numbered(ctx: &Context<'_>, id: &str, kind: Kind, number: i64) -> Result<Self> {
        Ok(match kind {
            Kind::User | Kind::Organization | Kind::Bot => {
                let account = lookup::account(ctx, id)?;
                match account.kind {
                    UserKind::User => Self::User(User(account)),
                    UserKind::Organization => Self::Organization(Organization(account)),
                    UserKind::Bot => Self::Bot(Bot(account)),
                }
            }
            Kind::App => {
                let row = read(ctx, |connection| {
                    Ok(apps::by_id(connection, number).optional()?)
                })?;
                Self::App(App(row.ok_or_else(|| QueryError::unknown_id(id))?))
            }
            Kind::Repository => Self::Repository(lookup::repository(ctx, id)?),
            Kind::Issue => Self::Issue(lookup::issue(ctx, id)?),
            Kind::PullRequest => Self::PullRequest(lookup::pull_request(ctx, id)?),
            Kind::IssueComment => Self::IssueComment(lookup::issue_comment(ctx, id)?),
            Kind::Review => Self::PullRequestReview(lookup::review(ctx, id)?),
            Kind::ReviewComment => Self::PullRequestReviewComment(lookup::review_comment(ctx, id)?),
            Kind::ReviewThread => Self::PullRequestReviewThread(lookup::review_thread(ctx, id)?),
            Kind::Label => Self::Label(lookup::label(ctx, id)?),
            Kind::Milestone => Self::Milestone(lookup::milestone(ctx, id)?),
            Kind::CheckRun => Self::CheckRun(lookup::check_run(ctx, id)?),
            Kind::CheckSuite => Self::CheckSuite(lookup::check_suite(ctx, id)?),
            Kind::StatusContext => Self::StatusContext(lookup::status_context(ctx, id)?),
            Kind::Workflow => Self::Workflow(lookup::workflow(ctx, id)?),
            Kind::WorkflowRun => Self::WorkflowRun(lookup::workflow_run(ctx, id)?),
            Kind::BranchProtectionRule => {
                Self::BranchProtectionRule(lookup::branch_protection_rule(ctx, id)?)
            }
            _ => return Err(QueryError::unknown_id(id).into()),
        })
    }

    async fn named(
        ctx: &Context<'_>,
        kind: Kind,
        repository: &Repository,
        name: String,
    ) -> Result<Option<Self>> {
        match kind {
            Kind::Ref => Ok(repository.named(ctx, name)?.map(Self::Ref)),
            Kind::MergeQueue => Ok(MergeQueue::of(ctx, repository, &name)?.map(Self::MergeQueue)),
            Kind::Commit | Kind::Tree | Kind::Blob | Kind::Tag => {
                let Some(oid) = Oid::parse(&name) else {
                    return Ok(None);
                };
                let object = GitObject::load(ctx, repository, &oid).await?;
                Ok(object.map(|object| match object {
                    GitObject::Commit(commit) => Self::Commit(commit),
                    GitObject::Tree(tree) => Self::Tree(tree),
                    GitObject::Blob(blob) => Self::Blob(blob),
                    GitObject::Tag(tag) => Self::Tag(tag),
                }))
            }
            _ => Ok(None),
        }
    }
}

/// What has a page of its own.
#[derive(Interface)]
#[graphql(
    field(name = "resource_path", ty = "Uri"),
    field(name = "url", ty = "Uri")
)]
pub(in crate::graphql) enum UniformResourceLocatable {
    Bot(Bot),
    CheckRun(CheckRun),
    Commit(Commit),
    Issue(Issue),
    Milestone(Milestone),
    Organization(Organization),
    PullRequest(PullRequest),
    Repository(Repository),
    User(User),
    Workflow(Workflow),
    WorkflowRun(WorkflowRun),
}

/// What can be labelled.
#[derive(Interface)]
#[graphql(field(
    name = "labels",
    ty = "Option<LabelConnection>",
    arg(name = "order_by", ty = "Option<LabelOrder>"),
    arg(name = "after", ty = "Option<String>"),
    arg(name = "before", ty = "Option<String>"),
    arg(name = "first", ty = "Option<i32>"),
    arg(name = "last", ty = "Option<i32>")
))]
pub(in crate::graphql) enum Labelable {
    Issue(Issue),
    PullRequest(PullRequest),
}

/// What can be given to somebody to do.
#[derive(Interface)]
#[graphql(field(
    name = "assignees",
    ty = "UserConnection",
    arg(name = "after", ty = "Option<String>"),
    arg(name = "before", ty = "Option<String>"),
    arg(name = "first", ty = "Option<i32>"),
    arg(name = "last", ty = "Option<i32>")
))]
pub(in crate::graphql) enum Assignable {
    Issue(Issue),
    PullRequest(PullRequest),
}

#[derive(Interface)]
#[graphql(
    field(name = "closed", ty = "bool"),
    field(name = "closed_at", ty = "Option<DateTime>"),
    field(name = "viewer_can_close", ty = "bool"),
    field(name = "viewer_can_reopen", ty = "bool")
)]
pub(in crate::graphql) enum Closable {
    Issue(Issue),
    PullRequest(PullRequest),
}

#[derive(Interface)]
#[graphql(
    field(name = "active_lock_reason", ty = "Option<LockReason>"),
    field(name = "locked", ty = "bool")
)]
pub(in crate::graphql) enum Lockable {
    Issue(Issue),
    PullRequest(PullRequest),
}

/// What can be folded away.
#[derive(Interface)]
#[graphql(
    field(name = "is_minimized", ty = "bool"),
    field(name = "minimized_reason", ty = "Option<&str>")
)]
pub(in crate::graphql) enum Minimizable {
    IssueComment(IssueComment),
    PullRequestReview(PullRequestReview),
    PullRequestReviewComment(PullRequestReviewComment),
}

/// What one can react to.
#[derive(Interface)]
#[graphql(
    field(name = "database_id", ty = "Option<i32>"),
    field(name = "id", ty = "ID"),
    field(name = "reaction_groups", ty = "Option<Vec<ReactionGroup>>")
)]
pub(in crate::graphql) enum Reactable {
    Issue(Issue),
    IssueComment(IssueComment),
    PullRequest(PullRequest),
    PullRequestReview(PullRequestReview),
    PullRequestReviewComment(PullRequestReviewComment),
}

impl Reactable {
    /// What the reactions are kept under, and the repository.
    pub(in crate::graphql) fn place(&self) -> (reactions::Subject, i64, &Repository) {
        use reactions::Subject;
        match self {
            Self::Issue(issue) => (Subject::Issue, issue.row.id, &issue.repository),
            Self::PullRequest(pull) => (Subject::Issue, pull.row.id(), &pull.repository),
            Self::IssueComment(comment) => (Subject::Comment, comment.row.id, &comment.repository),
            Self::PullRequestReview(review) => {
                (Subject::Review, review.row.id, &review.pull.repository)
            }
            Self::PullRequestReviewComment(comment) => (
                Subject::ReviewComment,
                comment.row.id,
                &comment.pull.repository,
            ),
        }
    }

    pub(in crate::graphql) fn groups(
        &self,
        ctx: &Context<'_>,
    ) -> Result<Option<Vec<ReactionGroup>>> {
        let (subject, id, _) = self.place();
        Ok(conversation::reaction_groups(ctx, subject, id)?)
    }
}

/// An issue or a pull request: they share comments, labels, assignees.
#[derive(Clone)]
pub(in crate::graphql) enum Subject {
    Issue(Issue),
    PullRequest(PullRequest),
}

impl Subject {
    pub(in crate::graphql) fn row(&self) -> &crate::store::issues::Issue {
        match self {
            Self::Issue(issue) => &issue.row,
            Self::PullRequest(pull) => &pull.row.issue,
        }
    }

    pub(in crate::graphql) fn repository(&self) -> &Repository {
        match self {
            Self::Issue(issue) => &issue.repository,
            Self::PullRequest(pull) => &pull.repository,
        }
    }
}

macro_rules! shown_as {
    ($($interface:ident),*) => {$(
        impl From<Subject> for $interface {
            fn from(subject: Subject) -> Self {
                match subject {
                    Subject::Issue(issue) => Self::Issue(issue),
                    Subject::PullRequest(pull) => Self::PullRequest(pull),
                }
            }
        }
    )*};
}

shown_as!(Assignable, Labelable, Lockable, Node);
