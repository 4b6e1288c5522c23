//! Pull requests.

use super::force_pushes::timeline_items;
use super::issue::{conversation, viewer_can_change};
use super::listings::found;
use super::reviews::{ReviewRequest, pull_reviews};
use super::{Account, Issue, MergeQueue, Ref, Repo, Thread, checks, commit, visible};
use crate::actions::pulls::{self as actions, Mergeability};
use crate::actions::rules::merges::{self, ReviewDecision};
use crate::git::FileStatus;
use crate::graphql::prelude::*;
use crate::node_id::named_node_id;
use crate::store::pull_commits::Counts;
use crate::store::pulls::Pull;
use crate::store::{code_owner_sets, comments, issues, review_threads, reviews};
use crate::views;

#[derive(Clone)]
pub(crate) struct PullRequest {
    pub(crate) row: Arc<Pull>,
    pub(crate) repository: Arc<Repository>,
}

impl PullRequest {
    pub(crate) fn new(row: Pull, repository: &Arc<Repository>) -> Self {
        Self {
            row: Arc::new(row),
            repository: Arc::clone(repository),
        }
    }

    /// Where the commits come from, if the caller may know that.
    fn head(&self, cx: &Context) -> Result<Option<Arc<Repository>>, QueryError> {
        match self.row.head_repository_id {
            Some(id) if id == self.repository.id => Ok(Some(Arc::clone(&self.repository))),
            Some(id) => visible(cx, id),
            None => Ok(None),
        }
    }

    pub(super) fn head_branch(&self, cx: &Context) -> Resolved {
        match self.head(cx)? {
            Some(head) => Ref::branch(cx, &head, &self.row.head_ref).and_then(maybe),
            None => plain(Value::Null),
        }
    }

    fn may_push_to_head(&self, cx: &Context) -> Result<bool, QueryError> {
        match self.head(cx)? {
            Some(head) => Ok(cx.permission(&head)? >= Permission::Write),
            None => Ok(false),
        }
    }

    async fn counts(&self, cx: &Context) -> Result<Counts, QueryError> {
        Ok(actions::counts(&cx.app, &self.repository, &self.row).await?)
    }

    async fn merging(&self, cx: &Context) -> Result<Mergeability, QueryError> {
        Ok(actions::mergeability(&cx.app, &self.repository, &self.row).await?)
    }
}

impl Object for PullRequest {
    kind!("PullRequest");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        let facts = cx.show(|view| Ok(views::pulls::facts(view, &self.repository, &self.row)))?;
        let page = facts["html_url"].as_str().unwrap_or_default();
        let more = json!({
            "base_ref_name": self.row.base_ref,
            "base_ref_oid": self.row.base_sha,
            "head_ref_name": self.row.head_ref,
            "head_ref_oid": self.row.head_sha,
            "checks_url": format!("{page}/checks"),
        });
        Ok(views::merged(facts, more))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (row, repository) = (&self.row, &self.repository);
        let can_change = || viewer_can_change(cx, repository, row.issue.author_id);
        match field.name {
            "additions" => plain(self.counts(cx).await?.additions),
            "baseRef" => Ref::branch(cx, repository, &row.base_ref).and_then(maybe),
            "baseRepository" => one(Repo(Arc::clone(repository))),
            "changedFiles" => plain(self.counts(cx).await?.changed_files),
            "checksResourcePath" => plain(format!(
                "/{}/pull/{}/checks",
                repository.full_name(),
                row.number()
            )),
            "closingIssuesReferences" => self.closing_issues(cx, field),
            "commits" => self.commits(cx, field).await,
            "deletions" => plain(self.counts(cx).await?.deletions),
            "files" => self.files(cx, field).await,
            "headRef" => self.head_branch(cx),
            "headRepository" => maybe(self.head(cx)?.map(Repo)),
            "headRepositoryOwner" => one(Account(row.head_owner.clone())),
            "isCrossRepository" => plain(row.is_cross_repository()),
            "state" if row.merged.is_some() => plain("merged"),
            "statusCheckRollup" => {
                match commit::Commit::load(cx, repository, &row.head_sha).await? {
                    Some(commit) => checks::rollup(cx, &commit),
                    None => plain(Value::Null),
                }
            }
            "totalCommentsCount" => plain(cx.read(|conn| {
                let in_threads = review_threads::count_of_pull(conn, row.id())?;
                let said = comments::count(conn, row.id())?;
                Ok(said + i64::try_from(in_threads).unwrap_or(i64::MAX))
            })?),
            "viewerCanClose" => plain(row.is_open() && can_change()?),
            "viewerCanReopen" => plain(!row.is_open() && row.merged.is_none() && can_change()?),
            "latestOpinionatedReviews" | "latestReviews" | "reviews" | "viewerLatestReview" => {
                pull_reviews(cx, field, self)
            }
            "reviewRequests" => {
                let rows = cx.rows(|conn| reviews::requests(conn, row.id()))?;
                let node = |request| ReviewRequest(request, self.clone());
                field.list(rows, |request| request.user.id, node)
            }
            "reviewThreads" => {
                let threads = review_threads::for_pull;
                let rows = cx.rows(|conn| threads(conn, row.id()))?;
                field.list(rows, |row| row.id, |row| Thread(row, self.clone()))
            }
            "suggestedReviewers" => self.suggested_reviewers(cx),
            "timelineItems" => timeline_items(cx, field, self),
            _ => self.merge_field(cx, field).await,
        }
    }
}

/// The way into the base branch.
impl PullRequest {
    async fn merge_field(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (row, repository) = (&self.row, &self.repository);
        let merged = row.merged.as_ref();
        let may_write = || Ok::<_, QueryError>(cx.permission(repository)? >= Permission::Write);
        match field.name {
            "autoMergeRequest" => maybe(row.auto_merge.as_ref().map(|_| AutoMerge(self.clone()))),
            "canBeRebased" => plain(self.merging(cx).await?.rebaseable == Some(true)),
            "isInMergeQueue" => plain(MergeQueue::entry_of(cx, self)?.is_some()),
            "isMergeQueueEnabled" => {
                plain(MergeQueue::for_branch(cx, repository, &row.base_ref)?.is_some())
            }
            "mergeCommit" => commit::load(cx, repository, merged.map(|m| &*m.commit_sha)).await,
            "mergeQueue" => MergeQueue::for_branch(cx, repository, &row.base_ref).and_then(maybe),
            "mergeQueueEntry" => MergeQueue::entry_of(cx, self).and_then(maybe),
            "mergeStateStatus" => plain(self.merging(cx).await?.state.as_str()),
            "mergeable" => plain(match self.merging(cx).await?.mergeable {
                Some(true) => "mergeable",
                Some(false) => "conflicting",
                None => "unknown",
            }),
            "mergedBy" => maybe(merged.and_then(|merged| merged.by.clone()).map(Account)),
            "potentialMergeCommit" => {
                let trial = if row.is_open() {
                    self.merging(cx).await?.trial_commit_sha
                } else {
                    None
                };
                commit::load(cx, repository, trial.as_deref()).await
            }
            "reviewDecision" => {
                let decision = cx.read(|conn| merges::review_decision(conn, repository, row))?;
                plain(decision.map(|decision| match decision {
                    ReviewDecision::Approved => "approved",
                    ReviewDecision::ChangesRequested => "changes_requested",
                    ReviewDecision::ReviewRequired => "review_required",
                }))
            }
            "viewerCanDeleteHeadRef" => plain(self.may_push_to_head(cx)?),
            "viewerCanDisableAutoMerge" => plain(row.auto_merge.is_some() && may_write()?),
            "viewerCanEnableAutoMerge" => {
                let possible = repository.allow_auto_merge && row.is_open();
                plain(possible && row.auto_merge.is_none() && may_write()?)
            }
            "viewerCanMergeAsAdmin" => {
                let is_admin = cx.permission(repository)? == Permission::Admin;
                plain(is_admin && row.is_open() && self.viewer_bypasses_all(cx).await?)
            }
            "viewerCanUpdateBranch" => {
                let behind = row.is_open() && self.counts(cx).await?.behind > 0;
                plain(behind && self.may_push_to_head(cx)?)
            }
            _ => conversation(cx, field, repository, &row.issue),
        }
    }

    /// Whether no rule holds the caller back, though some may hold others back.
    async fn viewer_bypasses_all(&self, cx: &Context) -> Result<bool, QueryError> {
        let (counts, user) = (self.counts(cx).await?, cx.viewer()?);
        let binding = cx.read(|conn| {
            let verdict = merges::judge(conn, &self.repository, &self.row, &counts)?;
            merges::binding(conn, &self.repository, &verdict, Some(user))
        })?;
        Ok(binding.is_empty())
    }
}

/// What it changes.
impl PullRequest {
    /// `gh` and baton mostly ask how many there are and for the newest: the head, for which git need
    /// not list the others.
    async fn commits(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let page = field.page()?;
        let total = usize::try_from(self.counts(cx).await?.commits).unwrap_or(usize::MAX);
        if !page.wanted {
            return one(Connection::window::<PullRequestCommit>(
                0,
                total,
                Vec::new(),
            ));
        }
        let node = |commit| PullRequestCommit(commit, self.clone());
        let arguments = &field.arguments;
        let from_end = arguments.text("after").is_none() && arguments.text("before").is_none();
        if from_end && arguments.number("last") == Some(1) {
            let head = commit::Commit::load(cx, &self.repository, &self.row.head_sha).await?;
            let newest = head.into_iter().map(node).collect();
            return one(Connection::window(total.saturating_sub(1), total, newest));
        }
        let all = actions::pull_commits(&cx.app, &self.repository, &self.row).await?;
        field.fixed(all, |found| {
            node(commit::Commit::new(found, &self.repository))
        })
    }

    async fn files(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        if !field.page()?.wanted {
            let total = self.counts(cx).await?.changed_files;
            let total = usize::try_from(total).unwrap_or(usize::MAX);
            return one(Connection::window::<Plain>(0, total, Vec::new()));
        }
        let files = actions::diff(&cx.app, &self.repository, &self.row).await?;
        field.fixed(files, |file| Plain {
            kind: "PullRequestChangedFile",
            facts: json!({
                "additions": file.additions,
                "change_type": match file.status {
                    FileStatus::Removed => "deleted",
                    status => status.as_str(),
                },
                "deletions": file.deletions,
                "path": file.path,
            }),
        })
    }

    /// The issues that the description says it closes, and that the caller may see.
    fn closing_issues(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let body = self.row.issue.body.as_deref().unwrap_or_default();
        let root = cx.app.urls().page("");
        let mut closing = cx.read(|conn| {
            let mut closing: Vec<(issues::Issue, Arc<Repository>, i64)> = Vec::new();
            for reference in actions::closing_references(body, &root) {
                let repository = match &reference.repository {
                    None => Arc::clone(&self.repository),
                    Some((owner, name)) => {
                        match cx.caller.repository(conn, owner, name, Permission::Read) {
                            Ok(row) => Arc::new(row),
                            Err(ApiError::NotFound) => continue,
                            Err(other) => return Err(other),
                        }
                    }
                };
                let row = issues::by_number(conn, repository.id, reference.number)?;
                let row = row.filter(|row| !row.is_pull);
                if let Some(row) =
                    row.filter(|row| closing.iter().all(|(known, ..)| known.id != row.id))
                {
                    let comments = comments::count(conn, row.id)?;
                    closing.push((row, repository, comments));
                }
            }
            Ok(closing)
        })?;
        if let Some((by, descending)) = field.arguments.order() {
            match by.as_str() {
                "UPDATED_AT" => closing.sort_by_cached_key(|(row, ..)| row.updated_at.clone()),
                "COMMENTS" => closing.sort_by_key(|(.., comments)| *comments),
                _ => closing.sort_by_key(|(row, ..)| row.id),
            }
            if descending {
                closing.reverse();
            }
        }
        field.list(
            closing,
            |(row, ..)| row.id,
            |(row, repository, _)| Issue::new(row, &repository),
        )
    }

    /// The code owners of the changed files; never the author, nor who was asked already.
    fn suggested_reviewers(&self, cx: &Context) -> Resolved {
        let id = self.row.id();
        let (owners, asked, said) = cx.read(|conn| {
            let owners = code_owner_sets::for_pull(conn, id)?;
            let asked = reviews::requests(conn, id)?;
            Ok((owners, asked, comments::for_issue(conn, id)?))
        })?;
        let mut known: Vec<i64> = asked.iter().map(|request| request.user.id).collect();
        known.push(self.row.issue.author_id);
        let mut suggested = Vec::new();
        for owner in owners.into_iter().flatten() {
            if !known.contains(&owner.id) && owner.kind == UserKind::User {
                known.push(owner.id);
                let is_commenter = said.iter().any(|comment| comment.author_id == owner.id);
                suggested.push(SuggestedReviewer(Account(owner), is_commenter));
            }
        }
        all(suggested)
    }
}

struct SuggestedReviewer(Account, bool);

impl Object for SuggestedReviewer {
    kind!("SuggestedReviewer");

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        match field.name {
            "isAuthor" => plain(false),
            "isCommenter" => plain(self.1),
            _ => one(self.0.clone()),
        }
    }
}

/// A commit, as part of a pull request.
struct PullRequestCommit(commit::Commit, PullRequest);

impl Object for PullRequestCommit {
    kind!("PullRequestCommit");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        let (oid, repository) = (&self.0.commit.oid, &self.1.repository);
        let name = format!("{}:{oid}", self.1.row.id());
        let path = format!("/pull/{}/commits/{oid}", self.1.row.number());
        Ok(json!({
            "node_id": named_node_id(Kind::PullRequestCommit, repository.id, &name),
            "html_url": cx.page(repository, &path),
        }))
    }

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        match field.name {
            "commit" => one(self.0.clone()),
            "pullRequest" => one(self.1.clone()),
            _ => Ok(Output::Fact),
        }
    }
}

/// The wish to merge as soon as that is allowed. Made only of a pull request that has it.
struct AutoMerge(PullRequest);

impl Object for AutoMerge {
    kind!("AutoMergeRequest");

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        let wish = found(self.0.row.auto_merge.clone())?;
        match field.name {
            "commitBody" => plain(wish.commit_message),
            "commitHeadline" => plain(wish.commit_title),
            "enabledAt" => plain(wish.enabled_at),
            "enabledBy" => one(Account(wish.enabled_by)),
            "mergeMethod" => plain(wish.method.as_str()),
            _ => one(self.0.clone()),
        }
    }
}
