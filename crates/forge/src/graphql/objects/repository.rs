use std::sync::Arc;

use async_graphql::{Context, ID, Object, Result, Union};
use baton_host::git::Oid;

use super::listings::{
    IssueFilters, IssueListing, PullRequestListing, listed_issues, listed_pulls,
};
use super::{
    BranchProtectionRule, BranchProtectionRuleConnection, GitObject, Issue, IssueConnection, Label,
    LabelConnection, MergeQueue, Milestone, MilestoneConnection, PullRequest,
    PullRequestConnection, Ref, RefConnection, RepositoryOwner, User, UserConnection, conversation,
};
use crate::error::ApiError;
use crate::graphql::access::{access, read, urls};
use crate::graphql::connection::{Connection, Page, PageArguments, connections};
use crate::graphql::enums::{
    IssueOrder, IssueState, LabelOrder, MilestoneOrder, MilestoneOrderField, MilestoneState,
    OrderDirection, PullRequestMergeMethod, PullRequestState, RefOrder, RefOrderField,
    RepositoryPermission, RepositoryVisibility,
};
use crate::graphql::errors::QueryError;
use crate::graphql::scalars::{DateTime, GitObjectId, Uri, database_id};
use crate::node_id::{Kind, node_id};
use crate::store::repositories::{self, Permission};
use crate::store::users::UserKind;
use crate::store::{branch_protections, issues, labels, milestones, pulls, refs};

#[derive(Debug, Clone)]
pub(in crate::graphql) struct Repository(pub(in crate::graphql) Arc<repositories::Repository>);

connections! {
    Repositories: RepositoryConnection, RepositoryEdge, Repository;
}

#[derive(Union)]
pub(in crate::graphql) enum IssueOrPullRequest {
    Issue(Issue),
    PullRequest(PullRequest),
}

#[Object]
impl Repository {
    async fn allow_update_branch(&self) -> bool {
        self.0.allow_update_branch
    }

    async fn assignable_users(
        &self,
        ctx: &Context<'_>,
        query: Option<String>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<UserConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        self.people(ctx, &page, query.as_deref())
    }

    async fn auto_merge_allowed(&self) -> bool {
        self.0.allow_auto_merge
    }

    async fn branch_protection_rules(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<BranchProtectionRuleConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let rows = read(ctx, |connection| {
            Ok(branch_protections::of_repository(connection, self.0.id)?)
        })?;
        let node = |row| BranchProtectionRule {
            row,
            repository: self.clone(),
        };
        Ok(Connection::of(&page, rows, |row| row.id, node))
    }

    async fn created_at(&self) -> DateTime {
        self.0.created_at.as_str().into()
    }

    async fn database_id(&self) -> Option<i32> {
        database_id(self.0.id)
    }

    async fn default_branch_ref(&self, ctx: &Context<'_>) -> Result<Option<Ref>> {
        self.branch(ctx, &self.0.default_branch)
    }

    async fn delete_branch_on_merge(&self) -> bool {
        self.0.delete_branch_on_merge
    }

    async fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    async fn has_issues_enabled(&self) -> bool {
        self.0.has_issues
    }

    async fn has_projects_enabled(&self) -> bool {
        false
    }

    async fn has_wiki_enabled(&self) -> bool {
        false
    }

    pub(super) async fn id(&self) -> ID {
        ID(node_id(Kind::Repository, self.0.id))
    }

    async fn is_archived(&self) -> bool {
        self.0.archived
    }

    async fn is_disabled(&self) -> bool {
        self.0.suspended.is_some()
    }

    async fn is_empty(&self, ctx: &Context<'_>) -> Result<bool> {
        let refs = read(ctx, |connection| {
            Ok(refs::of_repository(connection, self.0.id)?)
        })?;
        Ok(refs.is_empty())
    }

    async fn is_fork(&self) -> bool {
        self.0.fork_of.is_some()
    }

    async fn is_in_organization(&self) -> bool {
        self.0.owner.kind == UserKind::Organization
    }

    async fn is_locked(&self) -> bool {
        self.0.suspended.is_some()
    }

    async fn is_mirror(&self) -> bool {
        false
    }

    async fn is_private(&self) -> bool {
        self.0.private
    }

    async fn is_template(&self) -> bool {
        false
    }

    async fn issue(&self, ctx: &Context<'_>, number: i32) -> Option<Result<Issue>> {
        let found = self.numbered(ctx, number);
        Some(match found {
            Ok(Some(IssueOrPullRequest::Issue(issue))) => Ok(issue),
            Ok(_) => Err(QueryError::not_found(format!(
                "Could not resolve to an Issue with the number of {number}."
            ))
            .into()),
            Err(error) => Err(error),
        })
    }

    async fn issue_or_pull_request(
        &self,
        ctx: &Context<'_>,
        number: i32,
    ) -> Option<Result<IssueOrPullRequest>> {
        let found = self.numbered(ctx, number);
        Some(found.and_then(|found| {
            found.ok_or_else(|| {
                QueryError::not_found(format!(
                    "Could not resolve to an issue or pull request with the number of {number}."
                ))
                .into()
            })
        }))
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn issues(
        &self,
        ctx: &Context<'_>,
        states: Option<Vec<IssueState>>,
        labels: Option<Vec<String>>,
        filter_by: Option<IssueFilters>,
        order_by: Option<IssueOrder>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<IssueConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let listing = IssueListing {
            states,
            labels,
            filter_by,
            order_by,
        };
        Ok(listed_issues(ctx, &page, self, listing)?)
    }

    async fn label(&self, ctx: &Context<'_>, name: String) -> Result<Option<Label>> {
        let row = read(ctx, |connection| {
            Ok(labels::by_name(connection, self.0.id, &name)?)
        })?;
        Ok(row.map(|row| Label {
            row,
            repository: self.clone(),
        }))
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn labels(
        &self,
        ctx: &Context<'_>,
        query: Option<String>,
        order_by: Option<LabelOrder>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<LabelConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let mut rows = read(ctx, |connection| {
            Ok(labels::of_repository(connection, self.0.id)?)
        })?;
        if let Some(query) = query {
            let query = query.to_lowercase();
            let contains = |text: &str| text.to_lowercase().contains(&query);
            rows.retain(|row| {
                contains(&row.name) || row.description.as_deref().is_some_and(contains)
            });
        }
        Ok(Some(conversation::sorted_labels(
            &page, rows, order_by, self,
        )))
    }

    async fn mentionable_users(
        &self,
        ctx: &Context<'_>,
        query: Option<String>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<UserConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        self.people(ctx, &page, query.as_deref())
    }

    async fn merge_commit_allowed(&self) -> bool {
        self.0.allow_merge_commit
    }

    async fn merge_queue(
        &self,
        ctx: &Context<'_>,
        branch: Option<String>,
    ) -> Result<Option<MergeQueue>> {
        let branch = branch.unwrap_or_else(|| self.0.default_branch.clone());
        MergeQueue::of(ctx, self, &branch)
    }

    async fn milestone(&self, ctx: &Context<'_>, number: i32) -> Result<Option<Milestone>> {
        let row = read(ctx, |connection| {
            Ok(milestones::by_number(
                connection,
                self.0.id,
                i64::from(number),
            )?)
        })?;
        Ok(row.map(|row| Milestone {
            row,
            repository: self.clone(),
        }))
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn milestones(
        &self,
        ctx: &Context<'_>,
        states: Option<Vec<MilestoneState>>,
        query: Option<String>,
        order_by: Option<MilestoneOrder>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<MilestoneConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let mut rows = read(ctx, |connection| {
            Ok(milestones::of_repository(connection, self.0.id)?)
        })?;
        if let Some(states) = states {
            rows.retain(|row| {
                let closed = row.state == "closed";
                let state = if closed {
                    MilestoneState::Closed
                } else {
                    MilestoneState::Open
                };
                states.contains(&state)
            });
        }
        if let Some(query) = query {
            let query = query.to_lowercase();
            rows.retain(|row| row.title.to_lowercase().contains(&query));
        }
        if let Some(order) = order_by {
            sort_milestones(&mut rows, order);
        }
        let node = |row| Milestone {
            row,
            repository: self.clone(),
        };
        Ok(Some(Connection::of(&page, rows, |row| row.id, node)))
    }

    async fn name(&self) -> &str {
        &self.0.name
    }

    async fn name_with_owner(&self) -> String {
        self.0.full_name()
    }

    /// `expression` is a revision, or `REVISION:PATH`.
    async fn object(
        &self,
        ctx: &Context<'_>,
        oid: Option<GitObjectId>,
        expression: Option<String>,
    ) -> Result<Option<GitObject>> {
        let git = access(ctx).app.git(&self.0);
        let found = match (oid, expression) {
            (Some(oid), _) => Oid::parse(&oid.0),
            (None, Some(expression)) => match expression.split_once(':') {
                None => git.resolve(&expression).await?,
                Some((revision, path)) => match git.resolve_commit(revision).await? {
                    None => None,
                    Some(commit) if path.is_empty() => {
                        git.commit(&commit).await?.map(|commit| commit.tree.clone())
                    }
                    Some(commit) => git.entry(&commit, path).await?.map(|entry| entry.oid),
                },
            },
            (None, None) => {
                return Err(
                    QueryError::unprocessable("Either `oid` or `expression` is required.").into(),
                );
            }
        };
        match found {
            Some(oid) => GitObject::load(ctx, self, &oid).await,
            None => Ok(None),
        }
    }

    async fn owner(&self) -> RepositoryOwner {
        self.0.owner.clone().into()
    }

    /// What it is a fork of, where the caller may see that.
    async fn parent(&self, ctx: &Context<'_>) -> Result<Option<Self>> {
        match self.0.fork_of {
            Some(id) => Self::visible(ctx, id),
            None => Ok(None),
        }
    }

    async fn pull_request(&self, ctx: &Context<'_>, number: i32) -> Option<Result<PullRequest>> {
        let found = read(ctx, |connection| {
            Ok(pulls::by_number(connection, self.0.id, i64::from(number))?)
        });
        Some(match found {
            Ok(Some(row)) => Ok(PullRequest::new(row, self.clone())),
            Ok(None) => Err(QueryError::not_found(format!(
                "Could not resolve to a PullRequest with the number of {number}."
            ))
            .into()),
            Err(error) => Err(error.into()),
        })
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn pull_requests(
        &self,
        ctx: &Context<'_>,
        states: Option<Vec<PullRequestState>>,
        labels: Option<Vec<String>>,
        head_ref_name: Option<String>,
        base_ref_name: Option<String>,
        order_by: Option<IssueOrder>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<PullRequestConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let listing = PullRequestListing {
            states,
            labels,
            head_ref_name,
            base_ref_name,
            order_by,
        };
        Ok(listed_pulls(ctx, &page, self, listing)?)
    }

    async fn pushed_at(&self) -> Option<DateTime> {
        self.0.pushed_at.as_deref().map(DateTime::from)
    }

    async fn rebase_merge_allowed(&self) -> bool {
        self.0.allow_rebase_merge
    }

    #[graphql(name = "ref")]
    async fn reference(&self, ctx: &Context<'_>, qualified_name: String) -> Result<Option<Ref>> {
        if qualified_name.starts_with("refs/") {
            return self.named(ctx, qualified_name);
        }
        for prefix in ["refs/heads/", "refs/tags/", "refs/"] {
            if let Some(found) = self.named(ctx, format!("{prefix}{qualified_name}"))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn refs(
        &self,
        ctx: &Context<'_>,
        ref_prefix: String,
        query: Option<String>,
        direction: Option<OrderDirection>,
        order_by: Option<RefOrder>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<RefConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let rows = read(ctx, |connection| {
            Ok(refs::of_repository(connection, self.0.id)?)
        })?;
        let mut found: Vec<(String, String)> = rows
            .into_iter()
            .filter(|(name, _)| {
                let rest = name.strip_prefix(&ref_prefix);
                rest.is_some_and(|rest| query.as_ref().is_none_or(|query| rest.contains(query)))
            })
            .collect();
        let descending = match order_by {
            Some(order) if order.field == RefOrderField::Alphabetical => order.is_descending(),
            _ => direction == Some(OrderDirection::Desc),
        };
        if descending {
            found.reverse();
        }
        let node = |(name, oid)| Ref::new(name, oid, self.clone());
        Ok(Some(Connection::fixed(&page, found, node)))
    }

    pub(super) async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn squash_merge_allowed(&self) -> bool {
        self.0.allow_squash_merge
    }

    async fn updated_at(&self) -> DateTime {
        self.0.updated_at.as_str().into()
    }

    pub(super) async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }

    async fn viewer_can_administer(&self, ctx: &Context<'_>) -> Result<bool> {
        Ok(conversation::permission(ctx, self)? == Permission::Admin)
    }

    async fn viewer_default_merge_method(&self) -> PullRequestMergeMethod {
        if self.0.allow_merge_commit {
            PullRequestMergeMethod::Merge
        } else if self.0.allow_squash_merge {
            PullRequestMergeMethod::Squash
        } else {
            PullRequestMergeMethod::Rebase
        }
    }

    async fn viewer_permission(&self, ctx: &Context<'_>) -> Result<Option<RepositoryPermission>> {
        Ok(RepositoryPermission::of(conversation::permission(
            ctx, self,
        )?))
    }

    async fn visibility(&self) -> RepositoryVisibility {
        if self.0.private {
            RepositoryVisibility::Private
        } else {
            RepositoryVisibility::Public
        }
    }
}

impl Repository {
    pub(in crate::graphql) fn new(row: repositories::Repository) -> Self {
        Self(Arc::new(row))
    }

    /// Absent where the caller may not know of it.
    pub(in crate::graphql) fn visible(ctx: &Context<'_>, id: i64) -> Result<Option<Self>> {
        let access = access(ctx);
        let found = access.app.read(|connection| {
            let row = repositories::by_id(connection, id)?;
            access.caller.check(connection, &row, Permission::Read)?;
            Ok(row)
        });
        match found {
            Ok(row) => Ok(Some(Self::new(row))),
            Err(ApiError::NotFound | ApiError::Database(rusqlite::Error::QueryReturnedNoRows)) => {
                Ok(None)
            }
            Err(other) => Err(other.into()),
        }
    }

    /// `/octo/demo`.
    pub(in crate::graphql) fn path(&self) -> String {
        format!("/{}", self.0.full_name())
    }

    pub(in crate::graphql) fn branch(&self, ctx: &Context<'_>, name: &str) -> Result<Option<Ref>> {
        self.named(ctx, format!("refs/heads/{name}"))
    }

    /// By its full name.
    pub(in crate::graphql) fn named(&self, ctx: &Context<'_>, name: String) -> Result<Option<Ref>> {
        let oid = read(ctx, |connection| {
            Ok(refs::find(connection, self.0.id, &name)?)
        })?;
        Ok(oid.map(|oid| Ref::new(name, oid, self.clone())))
    }

    fn numbered(&self, ctx: &Context<'_>, number: i32) -> Result<Option<IssueOrPullRequest>> {
        let found = read(ctx, |connection| {
            let Some(issue) = issues::by_number(connection, self.0.id, i64::from(number))? else {
                return Ok(None);
            };
            if !issue.is_pull {
                let issue = Issue::new(issue, self.clone());
                return Ok(Some(IssueOrPullRequest::Issue(issue)));
            }
            let pull = pulls::by_id(connection, issue.id)?.ok_or(ApiError::NotFound)?;
            let pull = PullRequest::new(pull, self.clone());
            Ok(Some(IssueOrPullRequest::PullRequest(pull)))
        })?;
        Ok(found)
    }

    /// Whoever may be asked to do something here.
    fn people(
        &self,
        ctx: &Context<'_>,
        page: &Page,
        query: Option<&str>,
    ) -> Result<UserConnection> {
        let mut rows = read(ctx, |connection| {
            Ok(repositories::assignable(connection, &self.0)?)
        })?;
        if let Some(query) = query {
            let query = query.to_lowercase();
            rows.retain(|row| row.login.to_lowercase().contains(&query));
        }
        Ok(Connection::of(page, rows, |row| row.id, User))
    }
}

fn sort_milestones(rows: &mut [milestones::Milestone], order: MilestoneOrder) {
    match order.field {
        MilestoneOrderField::DueDate => rows.sort_by(|one, other| one.due_on.cmp(&other.due_on)),
        MilestoneOrderField::UpdatedAt => {
            rows.sort_by(|one, other| one.updated_at.cmp(&other.updated_at));
        }
        MilestoneOrderField::CreatedAt | MilestoneOrderField::Number => {
            rows.sort_by_key(|row| row.number);
        }
    }
    if order.is_descending() {
        rows.reverse();
    }
}
