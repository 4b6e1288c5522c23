//! Which tests fail in the CI of a pull request, and how to run them here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::UnreadablePart;
use crate::Confidence;
use crate::request::{boolean, optional, pull_request, request, required, text, unlisted_default};

request! {
    pub struct GetFailingTestsInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL. A commit of
        /// any branch is `owner/repo@` and its full id.
        pr: String = required(pull_request()),
        /// Wait until CI has finished (default: false).
        #[preference = "wait until CI has finished"]
        wait: bool = unlisted_default(false, boolean()),
        /// While waiting, stop at the first failure (default: true).
        #[preference = "while waiting for CI, stop at the first failure"]
        bail_on_first: bool = unlisted_default(true, boolean()),
        /// Run the commands for the first failures here, in a throw-away worktree of the head commit,
        /// and say whether they fail as in CI (default: false). Refused for pull requests from forks.
        reproduce: bool = unlisted_default(false, boolean()),
        /// `nextCursor` of the page before.
        cursor: Option<String> = optional(text()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetFailingTestsOutput {
    /// The pull request as `owner/repo#number`, or the commit as `owner/repo@id`.
    pub pr: String,
    pub status: CiStatus,
    /// Why the status is what it is, where the list alone does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci_info: Option<CiInfo>,
    /// This page of failures.
    pub failures: Vec<CiFailure>,
    /// Present when there are more.
    #[serde(
        rename = "nextCursor",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub next_cursor: Option<String>,
    pub instructions: FixInstructions,
    /// Present while anything is unfinished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll_info: Option<PollInfo>,
    /// What could not be read; it counts as unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadablePart>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CiStatus {
    /// Nothing has started.
    Pending,
    /// Something has started and something is unfinished.
    Running,
    Failed,
    Passed,
    /// There is no CI, or its state cannot be read.
    Unknown,
}

/// The CI run behind the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CiInfo {
    pub workflow_name: String,
    pub run_id: u64,
    pub started_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CiFailure {
    /// The check that failed; the first few where the same failure is in several.
    pub check_name: String,
    /// The test that failed, or what stands for it: the rule of a linter, the error code of a
    /// compiler, the step of a job, the check itself.
    pub test_name: String,
    /// The error, cut to what a person needs.
    pub error_message: String,
    /// The full log.
    pub log_url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_number: Option<u64>,
    pub confidence: Confidence,
    /// All checks with this same failure, when there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<String>>,
    /// Whether one of the checks has to pass before the pull request is merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Where the failure was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<FailureSource>,
    /// Whose failure it is. Left out where nothing proves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<FailureVerdict>,
    /// What proves the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The smallest shell command that shows it here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What came of running the command here, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduced: Option<Reproduction>,
}

/// From the surest to the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureSource {
    /// A report file that the run kept as an artifact.
    Report,
    /// The log of the job, in which the words of the test runner were recognised.
    Log,
    /// The remarks on lines that the check made.
    Annotations,
    /// The last lines of the log, in which nothing was recognised.
    LogTail,
    /// What the check says of itself.
    Check,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureVerdict {
    /// The same check or test passes on the base branch.
    Introduced,
    /// It fails in the same way on the base branch.
    PreExisting,
    /// It has passed and failed on the same commit.
    Flaky,
    /// The machines failed, not the code: a runner was lost, a set-up step broke.
    Infrastructure,
    /// Nothing ran: cancelled, waiting for approval, never reported.
    NotRun,
    /// The workflow itself cannot be run.
    CiConfiguration,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reproduction {
    /// The command was started and came to its end.
    pub ran: bool,
    /// The same test failed.
    pub failed_as_reported: bool,
    pub seconds: u64,
    /// What happened instead, where it was something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FixInstructions {
    pub summary: String,
    /// What to look at first.
    pub priority: Vec<FixPriority>,
    /// Shell commands that reproduce the failures of this page here.
    pub commands: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FixPriority {
    pub test: String,
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PollInfo {
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_completion: Option<String>,
    pub retry_after_seconds: u64,
}
