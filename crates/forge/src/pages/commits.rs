//! Commits, and what they change.

use std::sync::Arc;

use baton_host::git::Oid;

use super::patch::FileChange;
use super::prelude::*;
use super::runs::rollup_icon;
use crate::git::Commit;
use crate::store::rollup;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/{owner}/{name}/commit/{sha}", get(one))
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
    let state = visit.app.read(|conn| {
        let rollup = rollup::for_commit(conn, repository.id, oid.as_str())?;
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
