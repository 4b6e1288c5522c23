//! Details of check runs beyond their conclusion.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::enums::{AnnotationLevel, CheckConclusion, CheckStatus};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::Unreadable;
use crate::github::graphql::{Answer, Connection};
use crate::github::values::{Listed, NodeId};

#[derive(Clone, Debug, Default)]
pub struct CheckDetails {
    pub runs: Vec<RunDetails>,
    pub suites: Vec<SuiteDetails>,
    pub unreadable: Vec<Unreadable>,
}

#[derive(Clone, Debug)]
pub struct RunDetails {
    pub id: NodeId,
    /// The long text of the app that reports the check.
    pub text: Option<String>,
    /// The first fifty.
    pub annotations: Listed<CheckAnnotation>,
    /// Of a job of GitHub Actions, in their order.
    pub steps: Vec<CheckStep>,
}

/// An annotation on a line of a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckAnnotation {
    pub annotation_level: Option<AnnotationLevel>,
    pub path: String,
    location: Option<Span>,
    pub title: Option<String>,
    #[serde(default)]
    pub message: String,
    pub raw_details: Option<String>,
}

impl CheckAnnotation {
    pub fn line(&self) -> Option<u64> {
        Some(self.location.as_ref()?.start.line)
    }
}

#[derive(Clone, Debug, Deserialize)]
struct Span {
    start: Position,
}

#[derive(Clone, Debug, Deserialize)]
struct Position {
    line: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct CheckStep {
    pub number: u64,
    pub name: String,
    pub status: CheckStatus,
    pub conclusion: Option<CheckConclusion>,
}

#[derive(Clone, Debug)]
pub struct SuiteDetails {
    pub id: NodeId,
    /// Those of earlier attempts included.
    pub passed: Listed<PassedRun>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PassedRun {
    pub id: NodeId,
    pub name: String,
    pub completed_at: Option<Timestamp>,
}

#[derive(Deserialize)]
struct Found {
    runs: Vec<Option<FoundRun>>,
    suites: Vec<Option<FoundSuite>>,
}

#[derive(Deserialize)]
#[serde(tag = "__typename")]
enum FoundRun {
    CheckRun(WireRun),
    #[serde(other)]
    SomethingElse,
}

#[derive(Deserialize)]
struct WireRun {
    id: NodeId,
    text: Option<String>,
    annotations: Option<Connection<CheckAnnotation>>,
    steps: Option<Connection<CheckStep>>,
}

#[derive(Deserialize)]
#[serde(tag = "__typename")]
enum FoundSuite {
    CheckSuite(WireSuite),
    #[serde(other)]
    SomethingElse,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireSuite {
    id: NodeId,
    check_runs: Option<Connection<PassedRun>>,
}

/// GitHub takes no more ids at once.
pub const MAX_CHECKS: usize = 100;

impl GitHub {
    /// `runs` are check runs and `suites` check suites, [`MAX_CHECKS`] of each
    /// at most. Those that are gone are left out.
    pub async fn check_details(
        &self,
        runs: &[NodeId],
        suites: &[NodeId],
    ) -> Result<CheckDetails, GitHubError> {
        let errand = Errand::new("read", format!("the details of {} checks", runs.len()));
        let ids = |ids: &[NodeId]| -> Vec<String> {
            let ids = ids.iter().take(MAX_CHECKS);
            ids.map(|id| id.as_str().to_owned()).collect()
        };
        let variables = json!({ "runs": ids(runs), "suites": ids(suites) });
        let answer: Answer<Found> = self
            .ask(&documents::CHECK_DETAILS, &variables, errand)
            .await?;
        let Found { runs, suites } = answer.data;
        Ok(CheckDetails {
            runs: runs.into_iter().flatten().filter_map(run).collect(),
            suites: suites.into_iter().flatten().filter_map(suite).collect(),
            unreadable: answer.unreadable,
        })
    }
}

fn run(found: FoundRun) -> Option<RunDetails> {
    let FoundRun::CheckRun(run) = found else {
        return None;
    };
    Some(RunDetails {
        id: run.id,
        text: run.text,
        annotations: run.annotations.unwrap_or_default().into_listed(),
        steps: run.steps.unwrap_or_default().into_items(),
    })
}

fn suite(found: FoundSuite) -> Option<SuiteDetails> {
    let FoundSuite::CheckSuite(suite) = found else {
        return None;
    };
    Some(SuiteDetails {
        id: suite.id,
        passed: suite.check_runs.unwrap_or_default().into_listed(),
    })
}
