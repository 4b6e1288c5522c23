//! Pull requests: read, find, open, change.

use baton_protocol::Oid;
use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::labels::Label;
use super::repositories::RepositoryName;
use super::stacks::StackPlace;
use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::{AuthorAssociation, MergeState, PullState};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::values::{Account, Listed, NodeId, null_as_default};
use crate::http::Safety;

/// A pull request. The `Option` fields are missing in lists.
#[derive(Clone, Debug, Deserialize)]
pub struct PullRequest {
    pub number: u32,
    pub node_id: NodeId,
    pub html_url: String,
    /// `open` or `closed`; see [`is_merged`](Self::is_merged).
    pub state: PullState,
    #[serde(default)]
    pub draft: bool,
    #[serde(default)]
    pub locked: bool,
    pub title: String,
    #[serde(default, deserialize_with = "null_as_default")]
    pub body: String,
    pub user: Option<Account>,
    #[serde(default = "no_association")]
    pub author_association: AuthorAssociation,
    pub head: PullEnd,
    pub base: PullEnd,
    #[serde(default)]
    pub labels: Vec<Label>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub requested_reviewers: Vec<Account>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub merged_at: Option<Timestamp>,
    /// The commit of the merge or, before it, of GitHub's trial merge.
    pub merge_commit_sha: Option<Oid>,
    /// Absent while GitHub computes it, and in lists.
    pub mergeable: Option<bool>,
    pub mergeable_state: Option<MergeState>,
    pub maintainer_can_modify: Option<bool>,
    pub commits: Option<u64>,
    pub additions: Option<u64>,
    pub deletions: Option<u64>,
    pub changed_files: Option<u64>,
    /// Where the repository uses GitHub's own stacks.
    pub stack: Option<StackPlace>,
}

impl PullRequest {
    pub fn is_merged(&self) -> bool {
        self.merged_at.is_some()
    }
}

/// One of the two ends of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct PullEnd {
    #[serde(rename = "ref")]
    pub branch: String,
    pub sha: Oid,
    /// Absent when the fork is gone.
    pub repo: Option<RepositoryName>,
}

/// A pull request to open.
#[derive(Clone, Copy, Debug)]
pub struct NewPullRequest<'a> {
    pub title: &'a str,
    pub body: &'a str,
    /// `branch`, or `owner:branch` of a fork.
    pub head: &'a str,
    pub base: &'a str,
    pub draft: bool,
}

/// What to change; what is `None` stays.
#[derive(Clone, Copy, Debug, Default)]
pub struct PullRequestChange<'a> {
    pub title: Option<&'a str>,
    pub body: Option<&'a str>,
    pub base: Option<&'a str>,
    pub open: Option<bool>,
}

/// Which pull requests to list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PullFilter {
    #[default]
    Open,
    Closed,
    All,
}

impl PullFilter {
    fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::All => "all",
        }
    }
}

impl GitHub {
    pub async fn pull_request(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<PullRequest, GitHubError> {
        let errand = Errand::numbered("read", "pull request", repository, number);
        self.get(endpoint::PULL.read(repository, &[&number], errand))
            .await
    }

    /// Newest first.
    pub async fn pull_requests(
        &self,
        repository: &Repository,
        filter: PullFilter,
    ) -> Result<Listed<PullRequest>, GitHubError> {
        let errand = Errand::new("list", format!("the pull requests of {repository}"));
        let request = endpoint::PULLS
            .read(repository, &[], errand)
            .query("state", filter.as_str());
        self.list(request).await
    }

    /// The pull requests from `branch` of `head_owner`'s repository (that is
    /// `repository.owner()`, unless it is a fork).
    pub async fn pull_requests_from(
        &self,
        repository: &Repository,
        head_owner: &str,
        branch: &str,
        filter: PullFilter,
    ) -> Result<Listed<PullRequest>, GitHubError> {
        let errand = Errand::new(
            "find",
            format!("the pull request of branch '{branch}' in {repository}"),
        );
        let request = endpoint::PULLS
            .read(repository, &[], errand)
            .query("state", filter.as_str())
            .query("head", format!("{head_owner}:{branch}"));
        let mut found: Listed<PullRequest> = self.list(request).await?;
        // GitHub ignores a filter that it does not understand and lists them all.
        found.items.retain(|pull| pull.head.branch == branch);
        Ok(found)
    }

    /// The pull requests that go to a branch.
    pub async fn pull_requests_to(
        &self,
        repository: &Repository,
        base: &str,
        filter: PullFilter,
    ) -> Result<Listed<PullRequest>, GitHubError> {
        let errand = Errand::new(
            "list",
            format!("the pull requests to '{base}' in {repository}"),
        );
        let request = endpoint::PULLS
            .read(repository, &[], errand)
            .query("state", filter.as_str())
            .query("base", base);
        let mut found: Listed<PullRequest> = self.list(request).await?;
        found.items.retain(|pull| pull.base.branch == base);
        Ok(found)
    }

    /// The pull requests that contain a commit, merged ones included.
    pub async fn pull_requests_with_commit(
        &self,
        repository: &Repository,
        commit: &Oid,
    ) -> Result<Listed<PullRequest>, GitHubError> {
        let errand = Errand::new(
            "find",
            format!("the pull requests with commit {commit} in {repository}"),
        );
        self.list(endpoint::COMMIT_PULLS.read(repository, &[commit], errand))
            .await
    }

    /// Opens a pull request. After a lost response, look for it with
    /// [`pull_requests_from`](Self::pull_requests_from) before trying again.
    pub async fn create_pull_request(
        &self,
        repository: &Repository,
        new: &NewPullRequest<'_>,
    ) -> Result<PullRequest, GitHubError> {
        let errand = Errand::new(
            "open",
            format!("a pull request from '{}' in {repository}", new.head),
        );
        let request = endpoint::PULL_CREATE
            .write(repository, &[], Safety::Write, errand)
            .json(&json!({
                "title": new.title,
                "body": new.body,
                "head": new.head,
                "base": new.base,
                "draft": new.draft,
            }));
        self.get(request).await
    }

    pub async fn update_pull_request(
        &self,
        repository: &Repository,
        number: u32,
        change: &PullRequestChange<'_>,
    ) -> Result<PullRequest, GitHubError> {
        let errand = Errand::numbered("change", "pull request", repository, number);
        let safety = Safety::Idempotent {
            proof: "sets fields to given values",
        };
        let request = endpoint::PULL_UPDATE
            .write(repository, &[&number], safety, errand)
            .json(&change.as_json());
        self.get(request).await
    }

    pub async fn request_reviewers(
        &self,
        repository: &Repository,
        number: u32,
        logins: &[&str],
    ) -> Result<PullRequest, GitHubError> {
        let errand = Errand::numbered("ask for reviews of", "pull request", repository, number);
        let safety = Safety::Idempotent {
            proof: "a reviewer who was asked already stays asked",
        };
        let request = endpoint::PULL_REVIEWERS_REQUEST
            .write(repository, &[&number], safety, errand)
            .json(&json!({ "reviewers": logins }));
        self.get(request).await
    }
}

impl PullRequestChange<'_> {
    fn as_json(&self) -> Value {
        let state = self.open.map(|open| if open { "open" } else { "closed" });
        let fields = [
            ("title", self.title),
            ("body", self.body),
            ("base", self.base),
            ("state", state),
        ];
        fields
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?))))
            .collect()
    }
}

pub(super) fn no_association() -> AuthorAssociation {
    AuthorAssociation::None
}
