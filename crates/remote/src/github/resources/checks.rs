//! Check runs and suites of a commit, and the annotations of a check.

use baton_protocol::Oid;
use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::{AnnotationLevel, CheckConclusion, CheckStatus};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::values::{Listed, null_as_default};

#[derive(Clone, Debug, Deserialize)]
pub struct CheckRun {
    pub id: u64,
    pub name: String,
    pub head_sha: Oid,
    pub status: CheckStatus,
    pub conclusion: Option<CheckConclusion>,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub details_url: Option<String>,
    pub html_url: Option<String>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub output: CheckOutput,
    pub app: Option<App>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct CheckOutput {
    pub title: Option<String>,
    pub summary: Option<String>,
    pub text: Option<String>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub annotations_count: u64,
}

/// The app that reports a check. Required checks may name it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct App {
    #[serde(alias = "databaseId")]
    pub id: Option<u64>,
    pub slug: Option<String>,
    pub name: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct CheckSuite {
    pub id: u64,
    pub status: Option<CheckStatus>,
    pub conclusion: Option<CheckConclusion>,
    pub app: Option<App>,
    #[serde(default)]
    pub latest_check_runs_count: u64,
}

/// An annotation on lines of a file.
#[derive(Clone, Debug, Deserialize)]
pub struct Annotation {
    pub path: String,
    pub start_line: u64,
    pub end_line: u64,
    pub start_column: Option<u64>,
    pub end_column: Option<u64>,
    #[serde(rename = "annotation_level")]
    pub level: Option<AnnotationLevel>,
    pub title: Option<String>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub message: String,
    pub raw_details: Option<String>,
}

impl GitHub {
    /// The latest run of each check. `revision` is a branch, tag or commit id.
    pub async fn check_runs(
        &self,
        repository: &Repository,
        revision: &str,
    ) -> Result<Listed<CheckRun>, GitHubError> {
        let errand = Errand::new(
            "list",
            format!("the checks of '{revision}' in {repository}"),
        );
        let request = endpoint::COMMIT_CHECK_RUNS
            .read(repository, &[&revision], errand)
            .query("filter", "latest");
        self.list_in(request, "check_runs").await
    }

    pub async fn check_suites(
        &self,
        repository: &Repository,
        revision: &str,
    ) -> Result<Listed<CheckSuite>, GitHubError> {
        let errand = Errand::new(
            "list",
            format!("the check suites of '{revision}' in {repository}"),
        );
        let request = endpoint::COMMIT_CHECK_SUITES.read(repository, &[&revision], errand);
        self.list_in(request, "check_suites").await
    }

    pub async fn annotations(
        &self,
        repository: &Repository,
        check_run: u64,
    ) -> Result<Listed<Annotation>, GitHubError> {
        let errand = Errand::new(
            "list",
            format!("the annotations of check run {check_run} in {repository}"),
        );
        self.list(endpoint::CHECK_RUN_ANNOTATIONS.read(repository, &[&check_run], errand))
            .await
    }
}
