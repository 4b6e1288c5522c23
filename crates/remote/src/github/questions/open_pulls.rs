//! All open pull requests with their base and head, to find stacks in.

use baton_protocol::Oid;
use baton_protocol::Repository;
use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::enums::PullState;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::Unreadable;
use crate::github::graphql::{Answer, Connection, InRepository, MAX_PAGES};
use crate::github::resources::repositories::RepositoryName;
use crate::github::values::{Account, NodeId};

#[derive(Clone, Debug)]
pub struct OpenPulls {
    pub default_branch: Option<String>,
    /// Oldest first.
    pub pulls: Vec<OpenPull>,
    pub truncated: bool,
    pub unreadable: Vec<Unreadable>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenPull {
    pub id: NodeId,
    pub number: u32,
    pub title: String,
    pub url: String,
    pub state: PullState,
    pub is_draft: bool,
    /// It comes from a fork, so that its head is no branch of the repository.
    pub is_cross_repository: bool,
    pub author: Option<Account>,
    pub base_ref_name: String,
    pub base_ref_oid: Oid,
    pub head_ref_name: String,
    pub head_ref_oid: Oid,
    /// Absent when the fork is gone.
    pub head_repository: Option<RepositoryName>,
    /// Those who may write to the repository may push to its head.
    #[serde(default)]
    pub maintainer_can_modify: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    default_branch_ref: Option<BranchName>,
    pull_requests: Connection<OpenPull>,
}

#[derive(Deserialize)]
pub(super) struct BranchName {
    pub(super) name: String,
}

impl GitHub {
    pub async fn open_pulls(&self, repository: &Repository) -> Result<OpenPulls, GitHubError> {
        let errand = Errand::new("list", format!("the open pull requests of {repository}"))
            .within(repository);
        let mut open = OpenPulls {
            default_branch: None,
            pulls: Vec::new(),
            truncated: false,
            unreadable: Vec::new(),
        };
        let mut after: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let variables = json!({
                "owner": repository.owner(),
                "name": repository.name(),
                "after": after,
            });
            let answer: Answer<InRepository<Page>> = self
                .ask(
                    &documents::OPEN_PULLS_WITH_HEADS,
                    &variables,
                    errand.clone(),
                )
                .await?;
            let page = answer.data.repository;
            open.default_branch = page.default_branch_ref.map(|branch| branch.name);
            open.unreadable.extend(answer.unreadable);
            after = page.pull_requests.next_page();
            let page = page.pull_requests.into_listed();
            open.truncated |= page.truncated && after.is_none();
            open.pulls.extend(page.items);
            if after.is_none() {
                return Ok(open);
            }
        }
        open.truncated = true;
        Ok(open)
    }
}
