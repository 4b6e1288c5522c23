//! Runs of GitHub Actions and their jobs.

use baton_protocol::Oid;
use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;

use super::repositories::RepositoryName;
use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::{CheckConclusion, CheckStatus};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::values::{Account, Listed, null_as_default};
use crate::http::Safety;

#[derive(Clone, Debug, Deserialize)]
pub struct WorkflowRun {
    pub id: u64,
    /// Of the workflow; absent while its file cannot be read.
    pub name: Option<String>,
    pub display_title: Option<String>,
    pub run_number: u64,
    /// From 1; each re-run counts.
    pub run_attempt: Option<u64>,
    pub event: String,
    pub status: Option<CheckStatus>,
    pub conclusion: Option<CheckConclusion>,
    pub head_sha: Oid,
    pub head_branch: Option<String>,
    pub html_url: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub run_started_at: Option<Timestamp>,
    #[serde(default)]
    pub path: String,
    /// Whose event it runs for; absent when the account is gone.
    pub actor: Option<Account>,
    /// Where its code is from; absent when the fork is gone.
    pub head_repository: Option<RepositoryName>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Job {
    /// Also the id of its check run.
    pub id: u64,
    pub run_id: u64,
    pub run_attempt: Option<u64>,
    pub name: String,
    pub workflow_name: Option<String>,
    pub status: CheckStatus,
    pub conclusion: Option<CheckConclusion>,
    pub head_sha: Oid,
    pub html_url: Option<String>,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub steps: Vec<JobStep>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct JobStep {
    pub number: u64,
    pub name: String,
    pub status: CheckStatus,
    pub conclusion: Option<CheckConclusion>,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
}

impl GitHub {
    /// The runs for a commit, newest first.
    pub async fn workflow_runs(
        &self,
        repository: &Repository,
        head: &Oid,
    ) -> Result<Listed<WorkflowRun>, GitHubError> {
        let errand = Errand::new(
            "list",
            format!("the workflow runs of {head} in {repository}"),
        );
        let request = endpoint::WORKFLOW_RUNS
            .read(repository, &[], errand)
            .query("head_sha", head);
        self.list_in(request, "workflow_runs").await
    }

    pub async fn workflow_run(
        &self,
        repository: &Repository,
        run: u64,
    ) -> Result<WorkflowRun, GitHubError> {
        let errand = Errand::new("read", format!("workflow run {run} of {repository}"));
        self.get(endpoint::WORKFLOW_RUN.read(repository, &[&run], errand))
            .await
    }

    /// The jobs of the run's latest attempt.
    pub async fn jobs(
        &self,
        repository: &Repository,
        run: u64,
    ) -> Result<Listed<Job>, GitHubError> {
        let errand = Errand::new("list", format!("the jobs of run {run} in {repository}"));
        let request = endpoint::WORKFLOW_RUN_JOBS
            .read(repository, &[&run], errand)
            .query("filter", "latest");
        self.list_in(request, "jobs").await
    }

    pub async fn job(&self, repository: &Repository, job: u64) -> Result<Job, GitHubError> {
        let errand = Errand::new("read", format!("job {job} of {repository}"));
        self.get(endpoint::JOB.read(repository, &[&job], errand))
            .await
    }

    /// Runs all jobs of a finished run again.
    pub async fn rerun(&self, repository: &Repository, run: u64) -> Result<(), GitHubError> {
        let errand = Errand::new("re-run", format!("workflow run {run} of {repository}"));
        self.settle(endpoint::WORKFLOW_RUN_RERUN.write(repository, &[&run], Safety::Write, errand))
            .await
    }

    /// Runs the failed jobs of a finished run again, and those that depend on them.
    pub async fn rerun_failed_jobs(
        &self,
        repository: &Repository,
        run: u64,
    ) -> Result<(), GitHubError> {
        let errand = Errand::new(
            "re-run",
            format!("the failed jobs of run {run} in {repository}"),
        );
        self.settle(endpoint::WORKFLOW_RUN_RERUN_FAILED.write(
            repository,
            &[&run],
            Safety::Write,
            errand,
        ))
        .await
    }
}
