//! The pull requests of a repository, with what a list says about each.

use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::enums::{Mergeable, PullState, ReviewDecision, StatusState};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::{Fact, Unreadable};
use crate::github::graphql::{Answer, Connection, InRepository, MAX_PAGES, Parts};
use crate::github::values::Account;

/// Which ones. Empty lists and absent names do not filter.
#[derive(Clone, Debug, Default)]
pub struct PullListFilter {
    pub states: Vec<PullState>,
    /// With any of these.
    pub labels: Vec<String>,
    pub base: Option<String>,
    pub head: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct PullList {
    /// Newest first.
    pub pulls: Vec<ListedPull>,
    pub truncated: bool,
    /// Pull requests that the token may not see.
    pub unreadable: Vec<Unreadable>,
}

#[derive(Clone, Debug)]
pub struct ListedPull {
    pub facts: ListedPullFacts,
    pub labels: Fact<Vec<String>>,
    /// All checks of the head together; `None` where nothing reports.
    pub checks: Fact<Option<StatusState>>,
    /// `None` when no review is required.
    pub review_decision: Fact<Option<ReviewDecision>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedPullFacts {
    pub number: u32,
    pub title: String,
    pub url: String,
    pub state: PullState,
    pub is_draft: bool,
    /// It comes from a fork.
    pub is_cross_repository: bool,
    pub author: Option<Account>,
    pub base_ref_name: String,
    pub head_ref_name: String,
    pub updated_at: Timestamp,
    pub mergeable: Mergeable,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    pull_requests: Connection<Parts<ListedPullFacts, Withheld>>,
}

/// What may be withheld by itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Withheld {
    review_decision: Option<ReviewDecision>,
    labels: Option<Connection<Label>>,
    status_check_rollup: Option<Rollup>,
}

#[derive(Deserialize)]
struct Label {
    name: String,
}

#[derive(Deserialize)]
struct Rollup {
    state: StatusState,
}

/// The list in an answer.
const PATH: &str = "repository.pullRequests";

impl GitHub {
    pub async fn list_pulls(
        &self,
        repository: &Repository,
        filter: &PullListFilter,
    ) -> Result<PullList, GitHubError> {
        let errand =
            Errand::new("list", format!("the pull requests of {repository}")).within(repository);
        let states = filter.states.iter();
        let states: Vec<String> = states.map(|s| s.as_str().to_ascii_uppercase()).collect();
        let mut list = PullList::default();
        let mut after: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let variables = json!({
                "owner": repository.owner(),
                "name": repository.name(),
                "states": Some(&states).filter(|states| !states.is_empty()),
                "labels": Some(&filter.labels).filter(|labels| !labels.is_empty()),
                "base": filter.base,
                "head": filter.head,
                "after": after,
            });
            let answer: Answer<InRepository<Page>> = self
                .ask(&documents::PULL_LIST, &variables, errand.clone())
                .await?;
            let page = answer.data.repository.pull_requests;
            after = page.next_page();
            let nodes = page.into_facts(PATH, &answer.unreadable);
            for (index, node) in nodes.into_iter().enumerate() {
                match node {
                    Fact::Known(parts) => {
                        list.pulls.push(listed(parts, index, &answer.unreadable));
                    }
                    Fact::Unreadable(unreadable) => list.unreadable.push(unreadable),
                }
            }
            if after.is_none() {
                return Ok(list);
            }
        }
        list.truncated = true;
        Ok(list)
    }
}

fn listed(
    Parts(facts, withheld): Parts<ListedPullFacts, Withheld>,
    index: usize,
    unreadable: &[Unreadable],
) -> ListedPull {
    let path = |field: &str| format!("{PATH}.nodes.{index}.{field}");
    let names = |labels: Connection<Label>| labels.into_items().into_iter();
    let labels = withheld.labels.map(names);
    ListedPull {
        labels: Fact::at(&path("labels"), labels, unreadable).map(|labels| {
            let labels = labels.into_iter().flatten();
            labels.map(|label| label.name).collect()
        }),
        checks: Fact::at(
            &path("statusCheckRollup"),
            withheld.status_check_rollup.map(|rollup| rollup.state),
            unreadable,
        ),
        review_decision: Fact::at(
            &path("reviewDecision"),
            withheld.review_decision,
            unreadable,
        ),
        facts,
    }
}
