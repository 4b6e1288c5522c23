//! Commits, and what they change.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Query};
use axum::routing::get;
use baton_host::git::Oid;
use serde::Deserialize;

use super::html::{in_path, visible};
use super::icon::Icon;
use super::moment::Moment;
use super::patch::FileChange;
use super::runs::rollup_icon;
use super::visit::{Chrome, Masthead, Tab, Visit, home_of};
use super::{Page, PageError};
use crate::app::App;
use crate::error::ApiError;
use crate::git::{Commit, HistoryRange};
use crate::store::rollup;

const PAGE_SIZE: usize = 50;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/{owner}/{name}/commits", get(of_default_branch))
        .route("/{owner}/{name}/commits/{*reference}", get(list))
        .route("/{owner}/{name}/commit/{sha}", get(one))
        .route("/{owner}/{name}/compare/{*range}", get(compare))
}

/// A commit in a list.
pub(super) struct CommitRow {
    pub(super) address: String,
    pub(super) short: String,
    pub(super) headline: String,
    pub(super) author: String,
    pub(super) when: Moment,
}

impl CommitRow {
    pub(super) fn new(visit: &Visit, home: &str, commit: &Arc<Commit>) -> Self {
        let sha = commit.oid.as_str();
        Self {
            address: format!("{home}/commit/{sha}"),
            short: sha.get(..7).unwrap_or(sha).to_owned(),
            headline: visible(commit.headline()),
            author: commit.author.name.clone(),
            when: visit.moment(&commit.committer.date),
        }
    }
}

#[derive(Template)]
#[template(path = "commits.html")]
#[expect(clippy::struct_field_names, reason = "templates read well with it")]
pub(super) struct Commits {
    chrome: Chrome,
    repo: Masthead,
    reference: String,
    commits: Vec<CommitRow>,
    newer: Option<String>,
    older: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct PageQuery {
    page: Option<usize>,
}

async fn of_default_branch(
    visit: Visit,
    Path((owner, name)): Path<(String, String)>,
    Query(query): Query<PageQuery>,
) -> Result<Page<Commits>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    let reference = repository.default_branch;
    list(visit, Path((owner, name, reference)), Query(query)).await
}

async fn list(
    visit: Visit,
    Path((owner, name, reference)): Path<(String, String, String)>,
    Query(query): Query<PageQuery>,
) -> Result<Page<Commits>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    let git = visit.git(&repository);
    let head = git.resolve_commit(&reference).await?;
    let head = head.ok_or(ApiError::NotFound)?;
    let page = query.page.unwrap_or(1).clamp(1, 100_000);
    let range = HistoryRange {
        skip: (page - 1) * PAGE_SIZE,
        limit: Some(PAGE_SIZE + 1),
        ..HistoryRange::of(&head)
    };
    let mut oids = git.history(&range).await?;
    let has_more = oids.len() > PAGE_SIZE;
    oids.truncate(PAGE_SIZE);
    let home = home_of(&repository);
    let commits = git.commits(&oids).await?;
    let address = |page: usize| format!("{home}/commits/{}?page={page}", in_path(&reference));
    Ok(Page(Commits {
        chrome: visit.chrome(format!("Commits · {}", repository.full_name())),
        repo: visit.masthead(&repository, Tab::Code)?,
        commits: commits
            .iter()
            .map(|commit| CommitRow::new(&visit, &home, commit))
            .collect(),
        newer: (page > 1).then(|| address(page - 1)),
        older: has_more.then(|| address(page + 1)),
        reference,
    }))
}

#[derive(Template)]
#[template(path = "commit.html")]
struct CommitPage {
    chrome: Chrome,
    repo: Masthead,
    sha: String,
    headline: String,
    body: String,
    author: String,
    committer: Option<String>,
    when: Moment,
    checks: Option<Icon>,
    /// Short and address.
    parents: Vec<(String, String)>,
    files: Vec<FileChange>,
    additions: u64,
    deletions: u64,
}

async fn one(
    visit: Visit,
    Path((owner, name, sha)): Path<(String, String, String)>,
) -> Result<Page<CommitPage>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    let git = visit.git(&repository);
    let oid = git.resolve_commit(&sha).await?.ok_or(ApiError::NotFound)?;
    let commit = git.commit(&oid).await?.ok_or(ApiError::NotFound)?;
    let from = match commit.parents.first() {
        Some(parent) => parent.clone(),
        None => git.empty_tree().await?,
    };
    let files = git.diff(&from, &oid).await?;
    let home = home_of(&repository);
    let short = |oid: &Oid| oid.as_str().get(..7).unwrap_or_default().to_owned();
    let state = visit.app.read(|connection| {
        let rollup = rollup::of_commit(connection, repository.id, oid.as_str())?;
        Ok(rollup.state())
    })?;
    let (author, committer) = (&commit.author.name, &commit.committer.name);
    Ok(Page(CommitPage {
        chrome: visit.chrome(format!(
            "{} · {}",
            commit.headline(),
            repository.full_name()
        )),
        repo: visit.masthead(&repository, Tab::Code)?,
        sha: oid.to_string(),
        headline: visible(commit.headline()),
        body: visible(commit.body()),
        author: author.clone(),
        committer: (author != committer).then(|| committer.clone()),
        when: visit.moment(&commit.committer.date),
        checks: state.map(rollup_icon),
        parents: commit
            .parents
            .iter()
            .map(|parent| (short(parent), format!("{home}/commit/{parent}")))
            .collect(),
        additions: files.iter().map(|file| file.additions).sum(),
        deletions: files.iter().map(|file| file.deletions).sum(),
        files: files.into_iter().map(FileChange::from).collect(),
    }))
}

#[derive(Template)]
#[template(path = "compare.html")]
struct Compare {
    chrome: Chrome,
    repo: Masthead,
    base: String,
    head: String,
    commits: Vec<CommitRow>,
    files: Vec<FileChange>,
    additions: u64,
    deletions: u64,
}

/// `main...feature`: what the second has that the first has not.
async fn compare(
    visit: Visit,
    Path((owner, name, range)): Path<(String, String, String)>,
) -> Result<Page<Compare>, PageError> {
    let repository = visit.repository(&owner, &name)?;
    let (base, head) = range.split_once("...").ok_or(ApiError::NotFound)?;
    let git = visit.git(&repository);
    let base_oid = git.resolve_commit(base).await?.ok_or(ApiError::NotFound)?;
    let head_oid = git.resolve_commit(head).await?.ok_or(ApiError::NotFound)?;
    let from = match git.merge_base(&base_oid, &head_oid).await? {
        Some(oid) => oid,
        None => base_oid.clone(),
    };
    let history = HistoryRange {
        exclude: Some(&base_oid),
        limit: Some(PAGE_SIZE),
        ..HistoryRange::of(&head_oid)
    };
    let commits = git.commits(&git.history(&history).await?).await?;
    let files = git.diff(&from, &head_oid).await?;
    let home = home_of(&repository);
    Ok(Page(Compare {
        chrome: visit.chrome(format!("{base}...{head} · {}", repository.full_name())),
        repo: visit.masthead(&repository, Tab::Code)?,
        base: base.to_owned(),
        head: head.to_owned(),
        commits: commits
            .iter()
            .map(|commit| CommitRow::new(&visit, &home, commit))
            .collect(),
        additions: files.iter().map(|file| file.additions).sum(),
        deletions: files.iter().map(|file| file.deletions).sum(),
        files: files.into_iter().map(FileChange::from).collect(),
    }))
}
