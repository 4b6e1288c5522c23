//! What the validation phase found out beyond its output: every diagnostic
//! with its place, every attempt, and why each command was chosen. Written by
//! `--details`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::testing_details::TestingDetails;
use super::validation::ValidationOutput;
use crate::diagnostic::Diagnostic;
use crate::review::ReviewFinding;

/// One record per call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValidationDetails {
    /// Changes whenever the meaning of a field does.
    pub version: u32,
    /// The phase's own output, as it went to stdout.
    pub output: ValidationOutput,
    /// Why the language is what it is.
    pub language_reason: Option<String>,
    /// The commit that the change is compared with, where there is one.
    pub base: Option<String>,
    /// Changed files that were not looked at, each with the reason.
    pub left_out: Vec<LeftOutFile>,
    pub formatter: ToolDetails,
    pub linter: ToolDetails,
    pub build: ToolDetails,
    /// Absent when the tests were skipped or never started.
    pub tests: Option<TestingDetails>,
    pub code_review: ReviewDetails,
    pub security_review: ReviewDetails,
}

/// A changed file that could not be checked like the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutFile {
    pub path: String,
    pub reason: LeftOutReason,
    /// The reason in words, with the path.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// It is not below the working directory; nothing of it was read.
    Outside,
    /// It is not there any more.
    Deleted,
    Folder,
    Submodule,
    SymbolicLink,
    /// A device, a pipe or a socket.
    Special,
    Binary,
    NotUtf8,
    TooLarge,
    Minified,
    Unreadable,
}

/// What became of the formatter, the linter or the build.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolDetails {
    /// Why this command was chosen; absent when none was.
    pub command_reason: Option<String>,
    /// What mends the tree between attempts.
    pub fix_command: Option<String>,
    pub fix_reason: Option<String>,
    /// The tool whose words were read, such as `eslint`.
    pub tool: Option<String>,
    pub attempts: Vec<ToolAttempt>,
    /// What the last attempt complained about and the change brought.
    pub diagnostics: Vec<Diagnostic>,
    /// What it complained about and was there before the change.
    pub old_diagnostics: Vec<Diagnostic>,
    /// It broke down, and did so in the same way before the change, so it says
    /// nothing about the change.
    #[serde(default)]
    pub fails_before: bool,
    /// The program, or what it was to run, is not on this machine.
    #[serde(default)]
    pub missing: bool,
    /// Files outside the change that the tool had rewritten, and that are as
    /// they were again.
    pub restored: Vec<String>,
    /// Files outside the change that the tool had made; they were removed.
    pub created: Vec<String>,
    /// What else a person should know.
    pub notes: Vec<String>,
}

/// One run of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolAttempt {
    pub purpose: AttemptPurpose,
    /// What was run, as a line for a POSIX shell.
    pub command: String,
    /// How it ended, in words.
    pub outcome: String,
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    pub timeout_seconds: u64,
    /// How many complaints were understood.
    pub diagnostics: u64,
    /// The end of the output, where nothing in it was understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tail: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttemptPurpose {
    Check,
    /// Mends what the attempt before complained about.
    Fix,
    /// The same check on the tree before the change.
    Base,
}

/// Everything that a review found, also what is below the threshold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDetails {
    pub findings: Vec<ReviewFinding>,
    /// What could not be reviewed, and claims that did not hold.
    pub notes: Vec<String>,
}
