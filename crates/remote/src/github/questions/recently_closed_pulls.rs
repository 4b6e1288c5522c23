//! Closed pull requests with the files they touched, to compare a new one with.

use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::enums::PullState;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::Unreadable;
use crate::github::graphql::{Answer, Connection, InRepository, Parts};
use crate::github::values::Account;

#[derive(Clone, Debug)]
pub struct ClosedPull {
    pub facts: ClosedPullFacts,
    pub labels: Vec<String>,
    /// The first fifty.
    pub paths: Vec<String>,
    /// Who reviewed it, the first ten.
    pub reviewers: Vec<Account>,
}

/// Closed pull requests, and the review load of people in the open ones.
#[derive(Clone, Debug, Default)]
pub struct ClosedPulls {
    pub pulls: Vec<ClosedPull>,
    /// For each open pull request the requested reviewers.
    pub open_requests: Vec<OpenRequests>,
    pub unreadable: Vec<Unreadable>,
}

#[derive(Clone, Debug)]
pub struct OpenRequests {
    pub number: u32,
    pub logins: Vec<String>,
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
    open: Option<Connection<OpenPull>>,
    pull_requests: Connection<Parts<ClosedPullFacts, Lists>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenPull {
    number: u32,
    review_requests: Option<Connection<Request>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    requested_reviewer: Option<Requested>,
}

/// Teams have no login here.
#[derive(Deserialize)]
struct Requested {
    login: Option<String>,
}

#[derive(Deserialize)]
struct Reviewed {
    author: Option<Account>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lists {
    latest_reviews: Option<Connection<Reviewed>>,
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
    ) -> Result<ClosedPulls, GitHubError> {
        let errand = Errand::new("list", format!("the closed pull requests of {repository}"))
            .within(repository);
        let mut closed = ClosedPulls::default();
        let mut after: Option<String> = None;
        for _ in 0..pages {
            let variables = json!({
                "owner": repository.owner(),
                "name": repository.name(),
                "after": after,
                "firstPage": after.is_none(),
            });
            let answer: Answer<InRepository<Page>> = self
                .ask(
                    &documents::RECENTLY_CLOSED_PULLS,
                    &variables,
                    errand.clone(),
                )
                .await?;
            let Page {
                open,
                pull_requests: page,
            } = answer.data.repository;
            closed.unreadable.extend(answer.unreadable);
            let open = open.unwrap_or_default().into_items().into_iter();
            closed.open_requests.extend(open.map(open_requests));
            after = page.next_page();
            closed
                .pulls
                .extend(page.into_items().into_iter().map(closed_pull));
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
    let reviews = lists.latest_reviews.unwrap_or_default().into_items();
    ClosedPull {
        reviewers: reviews
            .into_iter()
            .filter_map(|review| review.author)
            .collect(),
        facts,
        labels: labels.into_iter().map(|label| label.name).collect(),
        paths: files.into_iter().map(|file| file.path).collect(),
    }
}

fn open_requests(pull: OpenPull) -> OpenRequests {
    let requests = pull.review_requests.unwrap_or_default().into_items();
    let logins = requests
        .into_iter()
        .filter_map(|request| request.requested_reviewer?.login);
    OpenRequests {
        number: pull.number,
        logins: logins.collect(),
    }
}
