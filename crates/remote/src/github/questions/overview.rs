//! A pull request as a whole: its description, its branches and its size.

use baton_protocol::Oid;
use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::open_pulls::BranchName;
use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::enums::{
    AuthorAssociation, FileStatus, IssueState, MergeState, Mergeable, PullState,
};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::Unreadable;
use crate::github::graphql::{Answer, Connection, InRepository, MAX_PAGES, Parts};
use crate::github::resources::labels::Label;
use crate::github::resources::repositories::RepositoryName;
use crate::github::values::{Account, Listed, NodeId};

#[derive(Clone, Debug)]
pub struct Overview {
    pub pull: PullOverview,
    /// The repository's name now, and its default branch.
    pub repository: Option<Repository>,
    pub default_branch: Option<String>,
    pub commits: u64,
    pub labels: Vec<Label>,
    /// The issues that the pull request closes when it is merged.
    pub closes: Vec<ClosedIssue>,
    pub suggested_reviewers: Vec<SuggestedReviewer>,
    /// Paths and sizes; [`changed_files`](GitHub::changed_files) has the patches.
    pub files: Listed<FileSize>,
    pub unreadable: Vec<Unreadable>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullOverview {
    pub id: NodeId,
    pub number: u32,
    pub title: String,
    #[serde(default)]
    pub body: String,
    pub url: String,
    pub state: PullState,
    pub is_draft: bool,
    pub author: Option<Account>,
    pub author_association: AuthorAssociation,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub merged_at: Option<Timestamp>,
    pub merged_by: Option<Account>,
    pub merge_commit: Option<MergeCommit>,
    pub mergeable: Mergeable,
    pub merge_state_status: MergeState,
    pub base_ref_name: String,
    /// Where the base was when the pull request was last pushed to.
    pub base_ref_oid: Oid,
    #[serde(default)]
    base_ref: Option<BranchTip>,
    pub head_ref_name: String,
    pub head_ref_oid: Oid,
    /// Absent when the fork is gone.
    pub head_repository: Option<RepositoryName>,
    pub is_cross_repository: bool,
    pub maintainer_can_modify: bool,
    pub additions: u64,
    pub deletions: u64,
    pub changed_files: u64,
}

impl PullOverview {
    /// The current head of its base branch; absent when that is gone.
    pub fn base_tip(&self) -> Option<&Oid> {
        self.base_ref.as_ref().and_then(BranchTip::commit)
    }
}

/// The head of a branch.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct BranchTip {
    target: Option<Target>,
}

#[derive(Clone, Debug, Deserialize)]
struct Target {
    oid: Oid,
}

impl BranchTip {
    pub(super) fn commit(&self) -> Option<&Oid> {
        self.target.as_ref().map(|target| &target.oid)
    }
}

/// The commit that a merge made.
#[derive(Clone, Debug, Deserialize)]
pub struct MergeCommit {
    pub oid: Oid,
    parents: ParentCount,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ParentCount {
    total_count: u64,
}

impl MergeCommit {
    /// Two: a merge commit. One: a squash, or the last commit of a rebase.
    pub fn parents(&self) -> u64 {
        self.parents.total_count
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct ClosedIssue {
    pub number: u32,
    pub title: String,
    pub url: String,
    pub state: IssueState,
    pub repository: RepositoryName,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedReviewer {
    /// Wrote some of the changed lines.
    pub is_author: bool,
    /// Commented on them before.
    pub is_commenter: bool,
    pub reviewer: Account,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileSize {
    pub path: String,
    pub additions: u64,
    pub deletions: u64,
    pub change_type: FileStatus,
}

impl GitHub {
    pub async fn overview(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<Overview, GitHubError> {
        let (mut overview, mut next) = self.page_of_overview(repository, number, None).await?;
        for _ in 1..MAX_PAGES {
            if next.is_none() {
                return Ok(overview);
            }
            let (page, cursor) = self.page_of_overview(repository, number, next).await?;
            if page.pull.head_ref_oid == overview.pull.head_ref_oid {
                overview.files.items.extend(page.files.items);
                overview.unreadable.extend(page.unreadable);
                next = cursor;
            } else {
                // A push between two pages: what was read is about the old head.
                (overview, next) = self.page_of_overview(repository, number, None).await?;
            }
        }
        overview.files.truncated = next.is_some();
        Ok(overview)
    }

    async fn page_of_overview(
        &self,
        repository: &Repository,
        number: u32,
        after: Option<String>,
    ) -> Result<(Overview, Option<String>), GitHubError> {
        let errand = Errand::numbered("read", "pull request", repository, number);
        let variables = json!({
            "owner": repository.owner(),
            "name": repository.name(),
            "number": number,
            "filesAfter": after,
            "firstPage": after.is_none(),
        });
        let answer: Answer<InRepository<Page>> = self
            .ask(&documents::PULL_REQUEST_OVERVIEW, &variables, errand)
            .await?;
        let page = answer.data.repository;
        let Parts(pull, lists) = page.pull_request;
        let next = lists.files.next_page();
        let overview = Overview {
            pull,
            repository: Repository::parse(&page.name_with_owner).ok(),
            default_branch: page.default_branch_ref.map(|branch| branch.name),
            commits: lists.commits.total_count,
            labels: lists.labels.unwrap_or_default().into_items(),
            closes: lists
                .closing_issues_references
                .unwrap_or_default()
                .into_items(),
            suggested_reviewers: lists.suggested_reviewers.into_iter().flatten().collect(),
            files: Listed {
                items: lists.files.into_items(),
                truncated: false,
            },
            unreadable: answer.unreadable,
        };
        Ok((overview, next))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    name_with_owner: String,
    default_branch_ref: Option<BranchName>,
    pull_request: Parts<PullOverview, Lists>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lists {
    #[serde(default)]
    commits: Connection<serde::de::IgnoredAny>,
    labels: Option<Connection<Label>>,
    closing_issues_references: Option<Connection<ClosedIssue>>,
    #[serde(default, deserialize_with = "crate::github::values::null_as_default")]
    suggested_reviewers: Vec<Option<SuggestedReviewer>>,
    #[serde(default, deserialize_with = "crate::github::values::null_as_default")]
    files: Connection<FileSize>,
}
