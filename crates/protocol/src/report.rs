//! What was read from a test run's output, a report file or a CI log: the
//! output of `baton report --json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Confidence;

/// The framework of a report in which nothing was recognised.
pub const UNKNOWN_FRAMEWORK: &str = "unknown";

/// The facts of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestReport {
    /// The framework or tool whose words these are; several are joined by `+`;
    /// `unknown` when nothing was recognised.
    pub framework: String,
    pub counts: Counts,
    pub failures: Vec<ReportedFailure>,
    /// It failed before any test could run: a compiler, linter or loader said no.
    pub is_build_failure: bool,
    /// The step of a CI log that failed; null outside CI logs.
    pub failing_step: Option<String>,
}

/// How many tests; `run` = `passed` + `failed` + `errors`, skipped ones apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    pub run: u64,
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
    pub errors: u64,
}

/// One failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedFailure {
    /// The test's full name as its framework gives it, or the rule or error
    /// code of a compiler or linter.
    pub name: String,
    /// The file of the failing statement, as printed; null when not told.
    pub file: Option<String>,
    /// Its line; null when not told.
    pub line: Option<u64>,
    /// What a person needs of the message, assertion and own frames.
    pub error: String,
    pub confidence: Confidence,
}
