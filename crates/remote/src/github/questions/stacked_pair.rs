//! Two pull requests that may be stacked, and all open ones, to find the rest of
//! their stack.

use baton_protocol::Oid;
use baton_protocol::Repository;
use serde::Deserialize;
use serde_json::json;

use super::open_pulls::{BranchName, OpenPull};
use super::overview::{BranchTip, MergeCommit};
use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};
use crate::github::fact::Unreadable;
use crate::github::graphql::{Answer, Connection, InRepository, Parts};

#[derive(Clone, Debug)]
pub struct StackedPair {
    pub base: StackEnd,
    pub dependent: StackEnd,
    pub default_branch: Option<String>,
    /// Oldest first.
    pub open: Vec<OpenPull>,
    /// There are more open ones than were read.
    pub truncated: bool,
    pub unreadable: Vec<Unreadable>,
}

/// A pull request, open or closed.
#[derive(Clone, Debug)]
pub struct StackEnd {
    pub pull: OpenPull,
    /// The current head of its base branch; absent when it is gone.
    pub base_tip: Option<Oid>,
    /// The commit of its merge.
    pub merge_commit: Option<MergeCommit>,
}

impl GitHub {
    /// Both are numbers in `repository`, and may be the same.
    pub async fn stacked_pair(
        &self,
        repository: &Repository,
        base: u32,
        dependent: u32,
    ) -> Result<StackedPair, GitHubError> {
        let errand = Errand::new(
            "read",
            format!("pull requests {repository}#{base} and #{dependent}"),
        )
        .within(repository);
        let variables = json!({
            "owner": repository.owner(),
            "name": repository.name(),
            "base": base,
            "dependent": dependent,
        });
        let answer: Answer<InRepository<Page>> = self
            .ask(&documents::STACKED_PAIR, &variables, errand)
            .await?;
        let page = answer.data.repository;
        let found = |end: Option<Parts<OpenPull, Rest>>, number| match end {
            Some(Parts(pull, rest)) => Ok(StackEnd {
                pull,
                base_tip: rest.base_ref.as_ref().and_then(BranchTip::commit).cloned(),
                merge_commit: rest.merge_commit,
            }),
            None => Err(GitHubError::new(
                Errand::numbered("read", "pull request", repository, number),
                GitHubErrorKind::NotFound {
                    message: "Not Found".to_owned(),
                    missing_scopes: Vec::new(),
                },
            )),
        };
        let mut pair = StackedPair {
            base: found(page.base, base)?,
            dependent: found(page.dependent, dependent)?,
            default_branch: page.default_branch_ref.map(|branch| branch.name),
            truncated: false,
            unreadable: answer.unreadable,
            open: Vec::new(),
        };
        if page.pull_requests.next_page().is_some() {
            let all = self.open_pulls(repository).await?;
            (pair.open, pair.truncated) = (all.pulls, all.truncated);
        } else {
            let open = page.pull_requests.into_listed();
            (pair.open, pair.truncated) = (open.items, open.truncated);
        }
        Ok(pair)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    base: Option<Parts<OpenPull, Rest>>,
    dependent: Option<Parts<OpenPull, Rest>>,
    default_branch_ref: Option<BranchName>,
    pull_requests: Connection<OpenPull>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rest {
    base_ref: Option<BranchTip>,
    merge_commit: Option<MergeCommit>,
}
