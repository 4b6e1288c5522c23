//! What a pull request changes: numbers, files, commits.

use std::sync::Arc;

use super::oid;
use crate::actions::prelude::*;
use crate::git::{Commit, FileDiff, HistoryRange};
use crate::store::pull_commits::{self, Counts};

/// Found out once per pair of commits.
pub(crate) async fn counts(app: &App, repository: &Repository, pull: &Pull) -> Result<Counts> {
    if let Some(known) = app.rows(|conn| pull_commits::counts(conn, pull))? {
        return Ok(known);
    }
    let counts = count(&app.git(repository), &pull.base_sha, &pull.head_sha).await?;
    let (pull, written) = (pull.clone(), counts.clone());
    app.write(move |tx| Ok(pull_commits::set_counts(tx, &pull, &written)?))
        .await?;
    Ok(counts)
}

/// Asks git. Where the two have nothing in common, all of the head is new.
pub(super) async fn count(git: &GitRepository, base_sha: &str, head_sha: &str) -> Result<Counts> {
    let (base, head) = (oid(base_sha)?, oid(head_sha)?);
    let (merge_base, distance) =
        tokio::try_join!(git.merge_base(&base, &head), git.distance(&base, &head))?;
    let merge_base = merge_base.unwrap_or(base);
    let totals = git.diff_totals(&merge_base, &head).await?;
    Ok(Counts {
        merge_base_sha: merge_base.to_string(),
        commits: distance.ahead as u64,
        behind: distance.behind as u64,
        additions: totals.additions,
        deletions: totals.deletions,
        changed_files: totals.changed_files,
    })
}

/// The files that it changes, with their patches.
pub(crate) async fn diff(app: &App, repository: &Repository, pull: &Pull) -> Result<Vec<FileDiff>> {
    let (merge_base, head) = ends(app, repository, pull).await?;
    Ok(app.git(repository).diff(&merge_base, &head).await?)
}

/// As `git diff` prints it.
pub(crate) async fn diff_text(app: &App, repository: &Repository, pull: &Pull) -> Result<Vec<u8>> {
    let (merge_base, head) = ends(app, repository, pull).await?;
    Ok(app.git(repository).diff_text(&merge_base, &head).await?)
}

/// One e-mail per commit.
pub(crate) async fn mail_patches(
    app: &App,
    repository: &Repository,
    pull: &Pull,
) -> Result<Vec<u8>> {
    let (base, head) = (oid(&pull.base_sha)?, oid(&pull.head_sha)?);
    Ok(app.git(repository).mail_patches(&base, &head).await?)
}

/// Oldest first, as GitHub lists them.
pub(crate) async fn pull_commits(
    app: &App,
    repository: &Repository,
    pull: &Pull,
) -> Result<Vec<Arc<Commit>>> {
    let (base, head) = (oid(&pull.base_sha)?, oid(&pull.head_sha)?);
    let git = app.git(repository);
    let range = HistoryRange {
        exclude: Some(&base),
        oldest_first: true,
        ..HistoryRange::new(&head)
    };
    let oids = git.history(&range).await?;
    Ok(git.commits(&oids).await?)
}

async fn ends(app: &App, repository: &Repository, pull: &Pull) -> Result<(Oid, Oid)> {
    let counts = counts(app, repository, pull).await?;
    Ok((oid(&counts.merge_base_sha)?, oid(&pull.head_sha)?))
}
