//! Pull requests that are done, with the files they touched: what a new one is
//! compared with.

use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::graphql::{Answer, Connection, InRepository, Parts};
use crate::github::values::Account;
use crate::github::words::PullState;

#[derive(Clone, Debug)]
pub struct ClosedPull {
    pub facts: ClosedPullFacts,
    pub labels: Vec<String>,
    /// The first fifty.
    pub paths: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClosedPullFacts {
    pub number: u32,
    pub title: String,
    pub url: String,
    pub state: PullState,
    pub merged_at: Option<Timestamp>,
    pub closed_at: Option<Timestamp>,
    pub author: Option<Account>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    pull_requests: Connection<Parts<ClosedPullFacts, Lists>>,
}

#[derive(Deserialize)]
struct Lists {
    labels: Option<Connection<Named>>,
    files: Option<Connection<File>>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct File {
    path: String,
}

impl GitHub {
    /// The latest ones, fifty a page.
    pub async fn recently_closed_pulls(
        &self,
        repository: &Repository,
        pages: usize,
    ) -> Result<Vec<ClosedPull>, GitHubError> {
        let errand = Errand::new("list", format!("the closed pull requests of {repository}"))
            .within(repository);
        let mut closed = Vec::new();
        let mut after: Option<String> = None;
        for _ in 0..pages {
            let variables = json!({
                "owner": repository.owner(),
                "name": repository.name(),
                "after": after,
            });
            let answer: Answer<InRepository<Page>> = self
                .ask(
                    &documents::RECENTLY_CLOSED_PULLS,
                    &variables,
                    errand.clone(),
                )
                .await?;
            let page = answer.data.repository.pull_requests;
            after = page.next_page();
            closed.extend(page.into_items().into_iter().map(closed_pull));
            if after.is_none() {
                break;
            }
        }
        Ok(closed)
    }
}

fn closed_pull(Parts(facts, lists): Parts<ClosedPullFacts, Lists>) -> ClosedPull {
    let labels = lists.labels.unwrap_or_default().into_items();
    let files = lists.files.unwrap_or_default().into_items();
    ClosedPull {
        facts,
        labels: labels.into_iter().map(|label| label.name).collect(),
        paths: files.into_iter().map(|file| file.path).collect(),
    }
}
