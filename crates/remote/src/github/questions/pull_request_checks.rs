//! What CI says about the head of a pull request.

use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::graphql::{
    Answer, Connection, InRepository, MOST_PAGES, OnePull, Parts, Unreadable,
};
use crate::github::resources::checks::App;
use crate::github::values::{CommitId, NodeId};
use crate::github::words::{CheckConclusion, CheckStatus, PullState, StatusState};

#[derive(Clone, Debug)]
pub struct PullRequestChecks {
    pub pull: CheckedPull,
    /// All checks together; `None` when there are none.
    pub rollup: Option<StatusState>,
    pub checks: Vec<Check>,
    /// Suites tell of runs that have no check yet: those that wait for a
    /// runner, or for somebody's approval.
    pub suites: Vec<Suite>,
    /// There are more checks or suites than were read.
    pub truncated: bool,
    pub unreadable: Vec<Unreadable>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckedPull {
    pub id: NodeId,
    pub number: u32,
    pub url: String,
    pub state: PullState,
    pub is_draft: bool,
    pub base_ref_name: String,
    pub head_ref_name: String,
    pub head_ref_oid: CommitId,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "__typename")]
pub enum Check {
    #[serde(rename = "CheckRun")]
    Run(Box<RunCheck>),
    #[serde(rename = "StatusContext")]
    Status(Box<StatusCheck>),
    /// A kind that this version does not know.
    #[serde(other)]
    Unknown,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunCheck {
    pub id: NodeId,
    /// For GitHub Actions also the id of the job.
    pub database_id: Option<u64>,
    pub name: String,
    pub status: CheckStatus,
    pub conclusion: Option<CheckConclusion>,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub details_url: Option<String>,
    pub permalink: Option<String>,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub is_required: bool,
    pub check_suite: Option<SuiteOfRun>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SuiteOfRun {
    pub app: Option<App>,
    /// Absent when the check is not one of GitHub Actions.
    pub workflow_run: Option<RunOfWorkflow>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunOfWorkflow {
    pub database_id: Option<u64>,
    pub run_number: Option<u64>,
    pub event: Option<String>,
    pub url: Option<String>,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    pub workflow: Option<WorkflowName>,
}

impl RunOfWorkflow {
    /// The run's number in REST. Ids have outgrown GraphQL's integers, so the
    /// address is the second source.
    pub fn run_id(&self) -> Option<u64> {
        self.database_id.or_else(|| {
            let (_, behind) = self.url.as_deref()?.split_once("/actions/runs/")?;
            behind.split('/').next()?.parse().ok()
        })
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowName {
    pub database_id: Option<u64>,
    pub name: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusCheck {
    pub id: NodeId,
    pub context: String,
    pub state: StatusState,
    pub description: Option<String>,
    pub target_url: Option<String>,
    pub created_at: Option<Timestamp>,
    pub is_required: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Suite {
    pub database_id: Option<u64>,
    pub status: CheckStatus,
    pub conclusion: Option<CheckConclusion>,
    pub app: Option<App>,
    pub workflow_run: Option<RunOfWorkflow>,
    pub check_runs: Option<Counted>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counted {
    pub total_count: u64,
}

#[derive(Deserialize)]
struct Lists {
    commits: Connection<PullCommit>,
}

#[derive(Deserialize)]
struct PullCommit {
    commit: Head,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    status_check_rollup: Option<Rollup>,
    check_suites: Option<Connection<Suite>>,
}

#[derive(Deserialize)]
struct Rollup {
    state: StatusState,
    contexts: Connection<Check>,
}

impl GitHub {
    pub async fn pull_request_checks(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<PullRequestChecks, GitHubError> {
        let (mut checks, mut next) = self.page_of_checks(repository, number, None).await?;
        for _ in 1..MOST_PAGES {
            if next.is_none() {
                return Ok(checks);
            }
            let (page, cursor) = self.page_of_checks(repository, number, next).await?;
            if page.pull.head_ref_oid == checks.pull.head_ref_oid {
                checks.checks.extend(page.checks);
                checks.unreadable.extend(page.unreadable);
                next = cursor;
            } else {
                // A push between two pages: what was read is about the old head.
                (checks, next) = self.page_of_checks(repository, number, None).await?;
            }
        }
        checks.truncated |= next.is_some();
        Ok(checks)
    }

    /// One page, and where the next one begins.
    async fn page_of_checks(
        &self,
        repository: &Repository,
        number: u32,
        after: Option<String>,
    ) -> Result<(PullRequestChecks, Option<String>), GitHubError> {
        let errand = Errand::numbered("read the checks of", "pull request", repository, number);
        let variables = json!({
            "owner": repository.owner(),
            "name": repository.name(),
            "number": number,
            "after": after,
            "firstPage": after.is_none(),
        });
        let answer: Answer<InRepository<OnePull<Parts<CheckedPull, Lists>>>> = self
            .ask(&documents::PULL_REQUEST_CHECKS, &variables, errand)
            .await?;
        let Parts(pull, lists) = answer.data.repository.pull_request;
        let (rollup, suites) = match lists.commits.into_items().pop() {
            Some(PullCommit { commit }) => (commit.status_check_rollup, commit.check_suites),
            None => (None, None),
        };
        let suites = suites.map(Connection::into_listed).unwrap_or_default();
        let (rollup, contexts) = match rollup {
            Some(Rollup { state, contexts }) => (Some(state), contexts),
            None => (None, Connection::default()),
        };
        let next = contexts.next_page();
        let checks = PullRequestChecks {
            pull,
            rollup,
            checks: contexts.into_items(),
            suites: suites.items,
            truncated: suites.truncated,
            unreadable: answer.unreadable,
        };
        Ok((checks, next))
    }
}
