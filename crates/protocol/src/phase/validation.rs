//! The validation phase: formatter, linter, build, tests, code review,
//! security review. All six results, always.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_RETRIES, StepStatus, Verdict};
use crate::language::Language;
use crate::request::{
    absolute_path, boolean, default, integer, list_of, optional, request, required,
    text_of_at_least,
};
use crate::{Problem, Problems, Request as _};

request! {
    /// What to validate, and how.
    pub struct ValidationInput, unknown keys Refused {
        /// Absolute path to the project's root folder.
        working_directory: String = required(
            absolute_path().described("minLength", 1).described("pattern", "^/")
        ),
        /// The changed files, relative to the working directory.
        changed_files: Vec<String> = required(list_of(text_of_at_least(1))),
        /// The programming language; detected when absent.
        language: Option<Language> = optional(Language::shape()),
        /// Replaces the default formatter command.
        format_command: Option<String> = optional(text_of_at_least(1)),
        /// Replaces the default linter command.
        lint_command: Option<String> = optional(text_of_at_least(1)),
        /// Replaces the default build command.
        build_command: Option<String> = optional(text_of_at_least(1)),
        /// Replaces the default test command.
        test_command: Option<String> = optional(text_of_at_least(1)),
        /// How often a fixable check is tried again.
        max_retries: u64 = default(3, integer(MAX_RETRIES)),
        /// Leaves the build out.
        skip_build: bool = default(false, boolean()),
        /// Leaves the tests out.
        skip_tests: bool = default(false, boolean()),
    }
}

impl ValidationInput {
    /// Everything default but the folder and the change.
    pub fn new(working_directory: impl Into<String>, changed_files: Vec<String>) -> Self {
        Self {
            working_directory: working_directory.into(),
            changed_files,
            ..Self::defaults()
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidationOutput {
    /// `pass` when no check failed.
    pub status: Verdict,
    /// Wall clock of the whole call.
    pub execution_time_ms: u64,
    /// Sum of the retries of all checks.
    pub total_retries: u64,
    /// Present, and true, only when the security review found something critical.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical_security_issue: Option<CriticalSecurityIssue>,
    pub checks: ValidationChecks,
}

/// A flag that is either `true` or not there at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "bool", into = "bool")]
pub struct CriticalSecurityIssue;

impl From<CriticalSecurityIssue> for bool {
    fn from(_: CriticalSecurityIssue) -> Self {
        true
    }
}

impl TryFrom<bool> for CriticalSecurityIssue {
    type Error = &'static str;

    fn try_from(flag: bool) -> Result<Self, Self::Error> {
        if flag {
            Ok(Self)
        } else {
            Err("critical_security_issue is true or absent, never false")
        }
    }
}

impl JsonSchema for CriticalSecurityIssue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CriticalSecurityIssue".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "boolean", "const": true })
    }
}

/// The six results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidationChecks {
    pub formatter: FormatterCheck,
    pub linter: LinterCheck,
    pub build: BuildCheck,
    pub tests: TestsCheck,
    pub code_review: CodeReviewCheck,
    pub security_review: SecurityReviewCheck,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FormatterCheck {
    pub status: Verdict,
    /// What is still wrong; empty on a pass.
    pub issues: Vec<String>,
    pub retry_count: u64,
    /// The command that ran; empty when none did.
    pub command: String,
    pub execution_time_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinterCheck {
    pub status: Verdict,
    /// What is still wrong; empty on a pass.
    pub issues: Vec<String>,
    pub retry_count: u64,
    /// The command that ran; empty when none did.
    pub command: String,
    pub execution_time_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BuildCheck {
    /// `skipped` when asked for, or when the language has no build.
    pub status: StepStatus,
    /// Build errors; empty unless it failed.
    pub errors: Vec<String>,
    pub retry_count: u64,
    /// The command that ran; empty when skipped.
    pub command: String,
    pub execution_time_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestsCheck {
    /// `skipped` only when asked for.
    pub status: StepStatus,
    /// Failing tests; 0 unless the check failed.
    pub failing_count: u64,
    pub retry_count: u64,
    /// The command that ran; empty when skipped.
    pub command: String,
    pub execution_time_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeReviewCheck {
    pub status: Verdict,
    /// Findings at or above the threshold; empty on a pass.
    pub findings: Vec<String>,
    /// The highest severity among them.
    pub severity: CodeReviewSeverity,
    pub execution_time_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecurityReviewCheck {
    pub status: Verdict,
    /// Vulnerabilities at or above the threshold; empty on a pass.
    pub vulnerabilities: Vec<String>,
    /// The highest severity among them.
    pub severity: SecuritySeverity,
    pub execution_time_ms: u64,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum CodeReviewSeverity {
    None,
    Low,
    Medium,
    High,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum SecuritySeverity {
    None,
    Low,
    Medium,
    High,
    Critical,
}

impl ValidationOutput {
    /// The answer to a request that was refused before anything ran: every
    /// check fails, and the formatter's issues say why.
    pub fn refused<'a>(messages: impl IntoIterator<Item = &'a str>) -> Self {
        let issues = messages
            .into_iter()
            .map(|message| format!("Validation failed: {message}"))
            .collect();
        Self {
            status: Verdict::Fail,
            execution_time_ms: 0,
            total_retries: 0,
            critical_security_issue: None,
            checks: ValidationChecks {
                formatter: FormatterCheck {
                    status: Verdict::Fail,
                    issues,
                    retry_count: 0,
                    command: String::new(),
                    execution_time_ms: 0,
                },
                linter: LinterCheck {
                    status: Verdict::Fail,
                    issues: Vec::new(),
                    retry_count: 0,
                    command: String::new(),
                    execution_time_ms: 0,
                },
                build: BuildCheck {
                    status: StepStatus::Fail,
                    errors: Vec::new(),
                    retry_count: 0,
                    command: String::new(),
                    execution_time_ms: 0,
                },
                tests: TestsCheck {
                    status: StepStatus::Fail,
                    failing_count: 0,
                    retry_count: 0,
                    command: String::new(),
                    execution_time_ms: 0,
                },
                code_review: CodeReviewCheck {
                    status: Verdict::Fail,
                    findings: Vec::new(),
                    severity: CodeReviewSeverity::None,
                    execution_time_ms: 0,
                },
                security_review: SecurityReviewCheck {
                    status: Verdict::Fail,
                    vulnerabilities: Vec::new(),
                    severity: SecuritySeverity::None,
                    execution_time_ms: 0,
                },
            },
        }
    }

    /// [`Self::refused`] for what [`ValidationInput::read`] found.
    pub fn refused_input(problems: &Problems) -> Self {
        Self::refused(
            problems
                .iter()
                .map(|Problem { message, .. }| message.as_str()),
        )
    }
}

/// The working directory was looked for and is not there, or is a file.
pub fn working_directory_message(path: &str, exists: bool) -> String {
    if exists {
        format!("working_directory is not a directory: {path}")
    } else {
        format!("working_directory does not exist: {path}")
    }
}
