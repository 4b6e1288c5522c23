//! What a pull request changes: commits, files, and the issues it closes.

use async_graphql::{Context, ID, Object, Result, SimpleObject};

use super::{Commit, Issue, IssueConnection, PullRequest, Repository};
use crate::actions::pulls as actions;
use crate::actions::rules::merges;
use crate::error::ApiError;
use crate::graphql::access::{access, read, urls, viewer};
use crate::graphql::connection::{Connection, Page, connections};
use crate::graphql::enums::{IssueOrder, IssueOrderField, PatchStatus};
use crate::graphql::scalars::{Uri, int};
use crate::node_id::{Kind, named_node_id};
use crate::store::pull_commits::Counts;
use crate::store::repositories::Permission;
use crate::store::{comments, issues};

/// A commit, as part of a pull request.
pub(in crate::graphql) struct PullRequestCommit {
    commit: Commit,
    pull: PullRequest,
}

#[derive(SimpleObject)]
pub(in crate::graphql) struct PullRequestChangedFile {
    additions: i32,
    change_type: PatchStatus,
    deletions: i32,
    path: String,
}

connections! {
    PullRequestCommits: PullRequestCommitConnection, PullRequestCommitEdge, PullRequestCommit;
    PullRequestChangedFiles:
        PullRequestChangedFileConnection, PullRequestChangedFileEdge, PullRequestChangedFile;
}

#[Object]
impl PullRequestCommit {
    async fn commit(&self) -> &Commit {
        &self.commit
    }

    async fn id(&self) -> ID {
        let name = format!("{}:{}", self.pull.row.id(), self.commit.commit.oid);
        let repository = self.pull.repository.0.id;
        ID(named_node_id(Kind::PullRequestCommit, repository, &name))
    }

    async fn pull_request(&self) -> &PullRequest {
        &self.pull
    }

    async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }
}

impl PullRequestCommit {
    fn path(&self) -> String {
        format!("{}/commits/{}", self.pull.path(), self.commit.commit.oid)
    }
}

pub(super) fn count(number: u64) -> i32 {
    int(i64::try_from(number).unwrap_or(i64::MAX))
}

pub(super) async fn counts(ctx: &Context<'_>, pull: &PullRequest) -> Result<Counts, ApiError> {
    actions::counts(&access(ctx).app, &pull.repository.0, &pull.row).await
}

/// `gh` and baton mostly ask how many there are and for the newest: the head,
/// for which git need not list the others.
pub(super) async fn commits(
    ctx: &Context<'_>,
    page: &Page,
    pull: &PullRequest,
    only_newest: bool,
) -> Result<PullRequestCommitConnection> {
    let total = usize::try_from(counts(ctx, pull).await?.commits).unwrap_or(usize::MAX);
    if !page.is_wanted() {
        return Ok(Connection::window(0..0, total, Vec::new()));
    }
    let node = |commit| PullRequestCommit {
        commit,
        pull: pull.clone(),
    };
    if only_newest {
        let head = Commit::load(ctx, &pull.repository, &pull.row.head_sha).await?;
        let newest = total.saturating_sub(1)..total;
        return Ok(Connection::window(
            newest,
            total,
            head.into_iter().map(node).collect(),
        ));
    }
    let app = &access(ctx).app;
    let all = actions::pull_commits(app, &pull.repository.0, &pull.row).await?;
    let node = |commit| node(Commit::new(commit, &pull.repository));
    Ok(Connection::fixed(page, all, node))
}

pub(super) async fn files(
    ctx: &Context<'_>,
    page: &Page,
    pull: &PullRequest,
) -> Result<PullRequestChangedFileConnection> {
    if !page.is_wanted() {
        let total = counts(ctx, pull).await?.changed_files;
        let total = usize::try_from(total).unwrap_or(usize::MAX);
        return Ok(Connection::window(0..0, total, Vec::new()));
    }
    let app = &access(ctx).app;
    let all = actions::diff(app, &pull.repository.0, &pull.row).await?;
    Ok(Connection::fixed(page, all, |file| {
        PullRequestChangedFile {
            additions: count(file.additions),
            change_type: file.status.into(),
            deletions: count(file.deletions),
            path: file.path,
        }
    }))
}

/// The issues that the description says it closes, and that the caller may see.
pub(super) fn closing_issues(
    ctx: &Context<'_>,
    page: &Page,
    pull: &PullRequest,
    order: Option<IssueOrder>,
) -> Result<IssueConnection, ApiError> {
    let body = pull.row.issue.body.as_deref().unwrap_or_default();
    let root = urls(ctx).page("");
    let caller = &access(ctx).caller;
    let mut found = read(ctx, |connection| {
        let mut found: Vec<(Issue, i64)> = Vec::new();
        for reference in actions::closing_references(body, &root) {
            let repository = match &reference.repository {
                None => pull.repository.clone(),
                Some((owner, name)) => {
                    match caller.repository(connection, owner, name, Permission::Read) {
                        Ok(row) => Repository::new(row),
                        Err(ApiError::NotFound) => continue,
                        Err(other) => return Err(other),
                    }
                }
            };
            let row = issues::by_number(connection, repository.0.id, reference.number)?;
            if let Some(row) = row.filter(|row| !row.is_pull)
                && found.iter().all(|(known, _)| known.row.id != row.id)
            {
                let comments = comments::count(connection, row.id)?;
                found.push((Issue::new(row, repository), comments));
            }
        }
        Ok(found)
    })?;
    if let Some(order) = order {
        found.sort_by(
            |(one, one_comments), (other, other_comments)| match order.field {
                IssueOrderField::CreatedAt => one.row.id.cmp(&other.row.id),
                IssueOrderField::UpdatedAt => one.row.updated_at.cmp(&other.row.updated_at),
                IssueOrderField::Comments => one_comments.cmp(other_comments),
            },
        );
        if order.is_descending() {
            found.reverse();
        }
    }
    Ok(Connection::of(
        page,
        found,
        |(issue, _)| issue.row.id,
        |(issue, _)| issue,
    ))
}

/// Whether no rule holds the caller back, though some may hold others back.
pub(super) async fn viewer_bypasses_all(ctx: &Context<'_>, pull: &PullRequest) -> Result<bool> {
    let counts = counts(ctx, pull).await?;
    let user = viewer(ctx)?;
    let binding = read(ctx, |connection| {
        let repository = &pull.repository.0;
        let verdict = merges::judge(connection, repository, &pull.row, &counts)?;
        merges::binding(connection, repository, &verdict, user)
    })?;
    Ok(binding.is_empty())
}
