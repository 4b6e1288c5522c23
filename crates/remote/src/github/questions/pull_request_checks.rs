//! The CI results of the head of a pull request.

use baton_protocol::Oid;
use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::head_checks::{Head, HeadChecks};
use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::enums::{CheckConclusion, CheckStatus, PullState, StatusState};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::{Fact, Unreadable};
use crate::github::graphql::{Answer, Connection, InRepository, MAX_PAGES, OnePull, Parts};
use crate::github::resources::checks::App;
use crate::github::values::{Listed, NodeId, null_as_default};

#[derive(Clone, Debug)]
pub struct PullRequestChecks {
    pub pull: CheckedPull,
    pub head: HeadChecks,
    /// The CI results of its base branch, if they were requested and the branch
    /// still exists.
    pub base: Fact<Option<BaseChecks>>,
    /// All parts that could not be read.
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
    /// It comes from a fork: its author may not be able to push here.
    pub is_cross_repository: bool,
    pub base_ref_name: String,
    pub head_ref_name: String,
    pub head_ref_oid: Oid,
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

impl Check {
    /// It ended, and does not block a merge.
    pub fn lets_through(&self) -> bool {
        match self {
            Self::Run(run) => {
                let conclusion = run.conclusion.as_ref();
                run.status == CheckStatus::Completed
                    && conclusion.is_some_and(CheckConclusion::lets_through)
            }
            Self::Status(status) => status.state == StatusState::Success,
            Self::Unknown => false,
        }
    }
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
    /// By the base branch of the pull request. Absent where that could not be read, and without a
    /// pull request.
    pub is_required: Option<bool>,
    pub check_suite: Option<SuiteOfRun>,
}

impl RunCheck {
    /// The id of its GitHub Actions job, which has a log.
    pub fn job_id(&self) -> Option<u64> {
        self.check_suite.as_ref()?.workflow_run.as_ref()?;
        job_id(self.database_id, self.details_url.as_deref())
    }
}

/// Ids have outgrown GraphQL's integers, so the address is the second source.
fn job_id(database_id: Option<u64>, details_url: Option<&str>) -> Option<u64> {
    database_id.or_else(|| {
        let (_, behind) = details_url?.split_once("/job/")?;
        behind.split(['/', '?', '#']).next()?.parse().ok()
    })
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SuiteOfRun {
    pub id: NodeId,
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
    /// By the base branch of the pull request. Absent where that could not be read, and without a
    /// pull request.
    pub is_required: Option<bool>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Suite {
    pub id: NodeId,
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

/// The CI results of a branch.
#[derive(Clone, Debug)]
pub struct BaseChecks {
    /// The checks that are required on this branch.
    pub required: Fact<Vec<String>>,
    /// The latest few, newest first.
    pub commits: Vec<CheckedCommit>,
    /// The parent of the pull request's first commit: the merge base, as long as
    /// the branch has not been merged into the pull request.
    pub began_at: Option<CheckedCommit>,
}

#[derive(Clone, Debug)]
pub struct CheckedCommit {
    pub oid: Oid,
    pub checks: Vec<PastCheck>,
    /// There are more checks.
    pub truncated: bool,
}

/// A check of an older commit.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "__typename")]
pub enum PastCheck {
    #[serde(rename = "CheckRun")]
    Run(Box<PastRun>),
    #[serde(rename = "StatusContext")]
    Status(PastStatus),
    #[serde(other)]
    Unknown,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PastRun {
    pub database_id: Option<u64>,
    pub name: String,
    pub status: CheckStatus,
    pub conclusion: Option<CheckConclusion>,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub details_url: Option<String>,
    check_suite: Option<SuiteOfPastRun>,
}

impl PastRun {
    /// Absent when the check is not one of GitHub Actions.
    pub fn workflow(&self) -> Option<&str> {
        let run = self.check_suite.as_ref()?.workflow_run.as_ref()?;
        Some(&run.workflow.name)
    }

    /// The id of its GitHub Actions job, which has a log.
    pub fn job_id(&self) -> Option<u64> {
        self.workflow()?;
        job_id(self.database_id, self.details_url.as_deref())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SuiteOfPastRun {
    workflow_run: Option<PastRunOfWorkflow>,
}

#[derive(Clone, Debug, Deserialize)]
struct PastRunOfWorkflow {
    workflow: PastWorkflow,
}

#[derive(Clone, Debug, Deserialize)]
struct PastWorkflow {
    name: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct PastStatus {
    pub context: String,
    pub state: StatusState,
    pub description: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lists {
    commits: Option<Connection<PullCommit>>,
    #[serde(default, deserialize_with = "null_as_default")]
    own_commits: Connection<OwnCommit>,
    base_ref: Option<Base>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Base {
    ref_update_rule: Option<UpdateRule>,
    target: Option<BaseTip>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UpdateRule {
    required_status_check_contexts: Option<Vec<Option<String>>>,
}

#[derive(Deserialize)]
struct BaseTip {
    history: Option<Connection<PastCommit>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PastCommit {
    oid: Oid,
    status_check_rollup: Option<PastRollup>,
}

#[derive(Deserialize)]
struct PastRollup {
    contexts: Connection<PastCheck>,
}

impl BaseChecks {
    fn new(base: Base, own_commits: Connection<OwnCommit>, unreadable: &[Unreadable]) -> Self {
        let contexts = base
            .ref_update_rule
            .and_then(|rule| rule.required_status_check_contexts);
        let required = Fact::at(UPDATE_RULE, contexts, unreadable);
        let commits = base.target.and_then(|tip| tip.history).unwrap_or_default();
        let first = own_commits.into_items().into_iter().next();
        let parents = first.map(|first| first.commit.parents.into_items());
        let began_at = parents.and_then(|parents| parents.into_iter().next());
        Self {
            // Without a rule, nothing is required.
            required: required.map(|names| names.into_iter().flatten().flatten().collect()),
            commits: commits.into_items().into_iter().map(Into::into).collect(),
            began_at: began_at.map(Into::into),
        }
    }
}

impl From<PastCommit> for CheckedCommit {
    fn from(commit: PastCommit) -> Self {
        let rollup = commit.status_check_rollup;
        let contexts = rollup.map_or_else(Listed::default, |rollup| rollup.contexts.into_listed());
        Self {
            oid: commit.oid,
            checks: contexts.items,
            truncated: contexts.truncated,
        }
    }
}

#[derive(Deserialize)]
struct OwnCommit {
    commit: Parents,
}

#[derive(Deserialize)]
struct Parents {
    parents: Connection<PastCommit>,
}

#[derive(Deserialize)]
struct PullCommit {
    commit: Option<Head>,
}

/// Where the parts of the answer are.
const COMMITS: &str = "repository.pullRequest.commits";
const HEAD: &str = "repository.pullRequest.commits.nodes.0.commit";
const BASE: &str = "repository.pullRequest.baseRef";
const UPDATE_RULE: &str = "repository.pullRequest.baseRef.refUpdateRule";

/// Whether the base branch is requested, too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Head,
    HeadAndBase,
}

impl GitHub {
    pub async fn pull_request_checks(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<PullRequestChecks, GitHubError> {
        self.checks_in(repository, number, Scope::Head).await
    }

    /// The same, and in the same request the CI results of the base branch.
    pub async fn pull_request_checks_and_base(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<PullRequestChecks, GitHubError> {
        self.checks_in(repository, number, Scope::HeadAndBase).await
    }

    async fn checks_in(
        &self,
        repository: &Repository,
        number: u32,
        scope: Scope,
    ) -> Result<PullRequestChecks, GitHubError> {
        let (mut checks, mut next) = self.page_of_checks(repository, number, scope, None).await?;
        for _ in 1..MAX_PAGES {
            if next.is_none() {
                return Ok(checks);
            }
            let (page, cursor) = self
                .page_of_checks(repository, number, Scope::Head, next)
                .await?;
            if page.pull.head_ref_oid == checks.pull.head_ref_oid {
                checks.head.extend(page.head);
                checks.unreadable.extend(page.unreadable);
                next = cursor;
            } else {
                // A push between two pages: what was read is about the old head.
                (checks, next) = self.page_of_checks(repository, number, scope, None).await?;
            }
        }
        checks.head.truncated |= next.is_some();
        Ok(checks)
    }

    /// One page, and the cursor of the next one.
    async fn page_of_checks(
        &self,
        repository: &Repository,
        number: u32,
        scope: Scope,
        after: Option<String>,
    ) -> Result<(PullRequestChecks, Option<String>), GitHubError> {
        let errand = Errand::numbered("read the checks of", "pull request", repository, number);
        let variables = json!({
            "owner": repository.owner(),
            "name": repository.name(),
            "number": number,
            "after": after,
            "firstPage": after.is_none(),
            "withBase": scope == Scope::HeadAndBase,
        });
        let answer: Answer<InRepository<OnePull<Parts<CheckedPull, Lists>>>> = self
            .ask(&documents::PULL_REQUEST_CHECKS, &variables, errand)
            .await?;
        let Parts(pull, lists) = answer.data.repository.pull_request;
        let unreadable = answer.unreadable.as_slice();
        let (head, next) = head_of(lists.commits.unwrap_or_default(), unreadable);
        let base = lists.base_ref;
        let base = base.map(|base| BaseChecks::new(base, lists.own_commits, unreadable));
        let checks = PullRequestChecks {
            pull,
            head,
            base: Fact::at(BASE, base, unreadable),
            unreadable: answer.unreadable,
        };
        Ok((checks, next))
    }
}

/// The head is the last commit, and the only one that was requested.
fn head_of(
    commits: Connection<PullCommit>,
    unreadable: &[Unreadable],
) -> (HeadChecks, Option<String>) {
    let withheld = |cause| (HeadChecks::unreadable(cause), None);
    match commits.into_facts(COMMITS, unreadable).pop() {
        None => (HeadChecks::none(), None),
        Some(Fact::Unreadable(cause)) => withheld(cause),
        Some(Fact::Known(PullCommit { commit: None })) => {
            withheld(Unreadable::at(HEAD, unreadable))
        }
        Some(Fact::Known(PullCommit { commit: Some(head) })) => head.read(HEAD, unreadable),
    }
}
