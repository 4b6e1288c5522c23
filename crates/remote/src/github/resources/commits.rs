//! Commits, and how two of them relate.

use baton_protocol::Oid;
use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;

use super::changed_files::ChangedFile;
use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::open_enum::open_enum;
use crate::github::values::{Account, Listed};

#[derive(Clone, Debug, Deserialize)]
pub struct Commit {
    pub sha: Oid,
    pub html_url: Option<String>,
    #[serde(rename = "commit")]
    pub content: CommitContent,
    /// The account of the author's address, where there is one.
    #[serde(default, deserialize_with = "account_or_none")]
    pub author: Option<Account>,
    #[serde(default)]
    pub parents: Vec<Parent>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct CommitContent {
    pub message: String,
    pub author: Option<Signature>,
    pub committer: Option<Signature>,
    pub verification: Option<Verification>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Signature {
    pub name: Option<String>,
    pub email: Option<String>,
    pub date: Option<Timestamp>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Verification {
    pub verified: bool,
    #[serde(default)]
    pub reason: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Parent {
    pub sha: Oid,
}

/// The commits of `head` that `base` lacks, and the number the other way round.
#[derive(Clone, Debug, Deserialize)]
pub struct Comparison {
    pub status: ComparisonStatus,
    pub ahead_by: u64,
    pub behind_by: u64,
    /// Of `commits`, which has the first page of them only.
    pub total_commits: u64,
    pub merge_base_commit: Parent,
    #[serde(default)]
    pub commits: Vec<Commit>,
    /// At most 300.
    #[serde(default)]
    pub files: Vec<ChangedFile>,
}

open_enum! {
    pub enum ComparisonStatus {
        Identical = "identical",
        Ahead = "ahead",
        Behind = "behind",
        Diverged = "diverged",
    }
}

/// GitHub lists no more commits of a pull request than this.
pub const MAX_PULL_COMMITS: usize = 250;

impl GitHub {
    /// Oldest first, as in the pull request.
    pub async fn pull_request_commits(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<Listed<Commit>, GitHubError> {
        let errand = Errand::numbered("list the commits of", "pull request", repository, number);
        let mut commits: Listed<Commit> = self
            .list(endpoint::PULL_COMMITS.read(repository, &[&number], errand))
            .await?;
        commits.truncated |= commits.items.len() >= MAX_PULL_COMMITS;
        Ok(commits)
    }

    /// `revision` is a branch, a tag or a commit id.
    pub async fn commit(
        &self,
        repository: &Repository,
        revision: &str,
    ) -> Result<Commit, GitHubError> {
        let errand = Errand::new("read", format!("commit '{revision}' of {repository}"));
        self.get(endpoint::COMMIT.read(repository, &[&revision], errand))
            .await
    }

    /// The latest commits that touched a path, up to `limit` of them (at most 100).
    pub async fn commits_touching(
        &self,
        repository: &Repository,
        revision: &str,
        path: &str,
        limit: u8,
    ) -> Result<Vec<Commit>, GitHubError> {
        let errand = Errand::new("list", format!("the commits of '{path}' in {repository}"));
        let request = endpoint::COMMITS
            .read(repository, &[], errand)
            .query("sha", revision)
            .query("path", path)
            .query("per_page", limit.clamp(1, 100));
        self.get(request).await
    }

    /// Both ends are branches, tags or commit ids; `owner:branch` names one of a fork.
    pub async fn compare(
        &self,
        repository: &Repository,
        base: &str,
        head: &str,
    ) -> Result<Comparison, GitHubError> {
        let errand = Errand::new("compare", format!("'{base}' with '{head}' in {repository}"));
        let ends = format!("{base}...{head}");
        self.get(endpoint::COMPARE.read(repository, &[&ends], errand))
            .await
    }
}

/// GitHub responds with `{}` or `null` where no account has the author's address.
fn account_or_none<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Account>, D::Error> {
    #[derive(Deserialize)]
    struct Maybe {
        login: Option<String>,
        #[serde(rename = "type")]
        kind: Option<crate::github::enums::AccountKind>,
    }
    let maybe = Option::<Maybe>::deserialize(deserializer)?;
    Ok(maybe.and_then(|maybe| {
        Some(Account {
            login: maybe.login?,
            kind: maybe
                .kind
                .unwrap_or(crate::github::enums::AccountKind::User),
        })
    }))
}
