//! Runs the failed jobs of a pull request's head once more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{integer, optional, pull_request, request, required};

request! {
    pub struct RerunFailedJobsInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
        /// Only this workflow run (default: all that failed at the head).
        run: Option<u64> = optional(integer(1..=u64::MAX)),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RerunFailedJobsOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    pub head: String,
    /// The workflow runs that failed or still run, the newest first.
    pub runs: Vec<RerunWorkflow>,
    /// This call started something.
    pub changed: bool,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RerunWorkflow {
    pub run: u64,
    /// Of the workflow.
    pub name: String,
    pub html_url: String,
    /// Of the attempt that was looked at; from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
    pub action: RerunAction,
    /// Why it could not be started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RerunAction {
    /// Its failed jobs run again.
    Started,
    /// It has not ended, so nothing was started.
    StillRunning,
    /// The server did not start it.
    Refused,
}
