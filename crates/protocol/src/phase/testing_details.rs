//! What the testing phase found out beyond its output: attempts, flaky tests,
//! and why each command was chosen. Written by `--details`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::testing::TestingOutput;
use crate::report::{Counts, ReportedFailure};

/// One record per call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestingDetails {
    /// Changes whenever the meaning of a field does.
    pub version: u32,
    /// The phase's own output, as it went to stdout.
    pub output: TestingOutput,
    /// Why the language is what it is.
    pub language_reason: Option<String>,
    /// Why the test command is what it is.
    pub test_command_reason: Option<String>,
    /// The test framework whose words were read; several are joined by `+`.
    pub framework: Option<String>,
    pub attempts: Vec<TestAttempt>,
    /// Tests that both failed and passed on the same tree.
    pub flaky: Vec<FlakyTest>,
    /// Hash of the working tree's content, where there is a repository.
    pub tree: Option<String>,
}

/// One run of the test command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestAttempt {
    /// Counted from 1, over all rounds of retries.
    pub number: u64,
    pub scope: AttemptScope,
    /// What was run, as a line for a POSIX shell.
    pub command: String,
    /// How it ended, in words.
    pub outcome: String,
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    pub timeout_seconds: u64,
    /// Where the facts were read from.
    pub source: FactSource,
    pub counts: Counts,
    pub failures: Vec<ReportedFailure>,
    /// A process outlived the command and was ended.
    pub leaked: bool,
    /// The end of the output, where nothing in it was recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tail: Option<String>,
}

/// What an attempt ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttemptScope {
    WholeSuite,
    /// Only the tests that had failed.
    FailedTests,
}

/// The rung of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactSource {
    /// A report that the runner wrote for machines.
    MachineReport,
    /// What the runner printed.
    Text,
    /// Nothing was recognised; only the exit code speaks.
    ExitCode,
}

/// A test that both failed and passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FlakyTest {
    pub name: String,
    /// Attempts of this call in which it failed.
    pub failed_attempts: Vec<u64>,
    /// Attempts of this call in which it passed.
    pub passed_attempts: Vec<u64>,
}
