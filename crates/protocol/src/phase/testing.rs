//! The testing phase: detect, build, run, retry, parse, escalate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{MAX_RETRIES, StepStatus, Verdict, context, context_of};
use crate::detection::FILES_CHECKED;
use crate::language::{Language, language_or_unknown};
use crate::request::{
    absolute_path, boolean, default, integer, list_of, optional, request, required, text, tri_state,
};
use crate::{Problem, Request as _};

request! {
    /// What to test, and how.
    pub struct TestingInput, unknown keys Refused {
        /// Absolute path to the project's root folder.
        working_directory: String = required(absolute_path().described("pattern", "^/")),
        /// The programming language; detected when absent.
        language: Option<Language> = optional(Language::shape()),
        /// Replaces the default test command.
        test_command: Option<String> = optional(text()),
        /// Replaces the default build command; null skips the build.
        build_command: BuildCommand =
            tri_state(BuildCommand::Skip, BuildCommand::Given, text()),
        /// How often failing tests are run again.
        max_retries: u64 = default(3, integer(MAX_RETRIES)),
        /// Milliseconds to wait before each retry; the last entry repeats.
        retry_backoff_ms: Vec<u64> =
            default(vec![5_000, 10_000, 15_000], list_of(integer(0..=u64::MAX))),
        /// Forces the build on or off; by default the project decides.
        run_build: Option<bool> = optional(boolean()),
        /// Time limit of one test run, in seconds.
        timeout_seconds: u64 = default(300, integer(1..=u64::MAX)),
    }
}

/// `build_command`: absent and null are different wishes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BuildCommand {
    /// Absent: the project's own build, if it has one.
    #[default]
    Auto,
    /// Null: no build.
    Skip,
    Given(String),
}

impl Serialize for BuildCommand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto | Self::Skip => serializer.serialize_none(),
            Self::Given(command) => serializer.serialize_str(command),
        }
    }
}

impl TestingInput {
    /// Everything default but the folder.
    pub fn new(working_directory: impl Into<String>) -> Self {
        Self {
            working_directory: working_directory.into(),
            ..Self::defaults()
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = build_command_may_be_absent)]
pub struct TestingOutput {
    /// `pass` when all tests passed.
    pub status: Verdict,
    /// Wall clock of the whole call, all retries included.
    pub execution_time_ms: u64,
    /// Retries made; 0 when the first run passed.
    pub retry_count: u64,
    /// Tests executed.
    pub tests_run: u64,
    /// Tests that passed.
    pub tests_passed: u64,
    /// Tests that failed.
    pub tests_failed: u64,
    /// The build's result; `skipped` when there is none.
    pub build_status: StepStatus,
    /// The failing tests; empty when all passed.
    pub failing_tests: Vec<FailingTest>,
    /// The language, detected or given; `unknown` when there was none.
    #[serde(with = "language_or_unknown")]
    #[schemars(with = "String")]
    pub language: Option<Language>,
    /// The test command; null when none was ever resolved.
    pub test_command: Option<String>,
    /// The build command; null when there is no build.
    #[serde(default)]
    #[schemars(extend("x-nullable" = true))]
    pub build_command: Option<String>,
    /// What went wrong; absent on a pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<TestingError>,
}

/// baton always writes the key, but the contract does not require it.
fn build_command_may_be_absent(schema: &mut schemars::Schema) {
    crate::schema::not_required(schema, "build_command");
}

/// One test that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailingTest {
    /// Full name of the test.
    pub name: String,
    /// The file that defines it, relative to the working directory; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The error or assertion message.
    pub error: String,
}

/// The error types of the testing phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestingErrorType {
    TestFailure,
    BuildFailure,
    ValidationError,
    LanguageDetectionFailed,
    CommandNotFound,
    Timeout,
    PermissionError,
    OutOfMemory,
    UserAbort,
}

// Each type has a constructor, which fixes its message and the keys of its context.
/// One thing that went wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestingError {
    #[serde(rename = "type")]
    pub kind: TestingErrorType,
    /// A sentence for people.
    pub message: String,
    /// More facts; the keys depend on the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
}

/// The facts of a `test_failure`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestFailure {
    pub failed_count: u64,
    pub retry_count: u64,
    /// All runs of the suite, over every round of retries.
    pub total_attempts: u64,
    /// Some test both failed and passed on the same tree.
    pub flaky: bool,
    /// So many tests failed at once that retrying would be pointless.
    pub infrastructure: bool,
    /// The user chose to go on in spite of it.
    pub user_override: bool,
}

/// A command that ran and failed, as far as an error context tells of it.
#[derive(Clone, Copy, Debug)]
pub struct FailedCommand<'a> {
    pub command: &'a str,
    pub exit_code: Option<i32>,
    /// The name of the signal that ended it.
    pub signal: Option<&'static str>,
    pub stderr: &'a str,
}

impl TestingError {
    fn new(kind: TestingErrorType, message: impl Into<String>, facts: Value) -> Self {
        Self {
            kind,
            message: message.into(),
            context: context(facts),
        }
    }

    pub fn validation(problem: &Problem) -> Self {
        Self::new(
            TestingErrorType::ValidationError,
            problem.message.clone(),
            context_of(problem),
        )
    }

    /// The folder was looked for and is not there, or is a file.
    pub fn working_directory(path: &str, exists: bool) -> Self {
        let message = if exists {
            "working_directory is not a directory"
        } else {
            "working_directory does not exist"
        };
        Self::new(
            TestingErrorType::ValidationError,
            message,
            json!({ "working_directory": path, "checked": true, "exists": exists }),
        )
    }

    pub fn malformed(error: &crate::json::MalformedJson) -> Self {
        Self::new(
            TestingErrorType::ValidationError,
            error.to_string(),
            json!({ "field": "" }),
        )
    }

    /// Only people filter by name, on the command line.
    pub fn filter_unknown(command: &str) -> Self {
        Self::new(
            TestingErrorType::ValidationError,
            format!("`{command}` cannot be told which tests to run by this name"),
            json!({
                "test_command": command,
                "suggestion": "Pass what the runner itself understands after `--`, as in `baton test -- ARGS`.",
            }),
        )
    }

    pub fn language_detection_failed(working_directory: &str, found: &[String]) -> Self {
        Self::new(
            TestingErrorType::LanguageDetectionFailed,
            "Cannot detect programming language. Please provide explicit 'language' parameter.",
            json!({
                "working_directory": working_directory,
                "files_checked": FILES_CHECKED,
                "found": found,
            }),
        )
    }

    pub fn test_failure(facts: TestFailure) -> Self {
        let TestFailure {
            failed_count,
            retry_count,
            ..
        } = facts;
        let tests = if failed_count == 1 { "test" } else { "tests" };
        let attempts = if retry_count == 1 {
            "attempt"
        } else {
            "attempts"
        };
        let mut context = json!({
            "failed_count": failed_count,
            "retry_count": retry_count,
            "flaky": facts.flaky,
            "total_attempts": facts.total_attempts,
        });
        if facts.infrastructure {
            context["infrastructure"] = true.into();
        }
        if facts.user_override {
            context["user_override"] = true.into();
        }
        Self::new(
            TestingErrorType::TestFailure,
            format!("{failed_count} {tests} failed after {retry_count} retry {attempts}"),
            context,
        )
    }

    /// The command failed, and no test is counted as failed: a crash, a file
    /// that could not be loaded, or output that was not understood. The end of
    /// the output has to do.
    pub fn uncounted_test_failure(facts: TestFailure, failed: FailedCommand<'_>) -> Self {
        let mut error = Self::test_failure(facts);
        let ended = match (failed.signal, failed.exit_code) {
            (Some(signal), _) => format!("was ended by {signal}"),
            (None, Some(code)) => format!("exited with {code}"),
            (None, None) => "was ended".to_owned(),
        };
        error.message = format!(
            "The test command {ended} before any test failed; see its output: {}",
            failed.command
        );
        let context = error.context.get_or_insert_default();
        context.insert("exit_code".to_owned(), failed.exit_code.into());
        if let Some(signal) = failed.signal {
            context.insert("signal".to_owned(), signal.into());
        }
        context.insert("stderr".to_owned(), failed.stderr.into());
        error
    }

    /// Says why no test ran, by which line that is known, and what to do.
    #[must_use]
    pub fn because(mut self, cause: &str, evidence: &str, remedy: &str) -> Self {
        self.message = format!("The tests could not run: {cause}");
        let context = self.context.get_or_insert_default();
        for (key, value) in [
            ("cause", cause),
            ("evidence", evidence),
            ("suggestion", remedy),
        ] {
            context.insert(key.to_owned(), value.into());
        }
        self
    }

    pub fn build_failure(failed: FailedCommand<'_>) -> Self {
        Self::new(
            TestingErrorType::BuildFailure,
            "Build failed, tests not run",
            json!({ "exit_code": failed.exit_code, "stderr": failed.stderr }),
        )
    }

    pub fn test_command_not_found(failed: FailedCommand<'_>, suggestion: &str) -> Self {
        Self::command_not_found("Test", failed, suggestion)
    }

    pub fn build_command_not_found(failed: FailedCommand<'_>, suggestion: &str) -> Self {
        Self::command_not_found("Build", failed, suggestion)
    }

    fn command_not_found(step: &str, failed: FailedCommand<'_>, suggestion: &str) -> Self {
        /// What a POSIX shell answers when there is no such command.
        const NOT_FOUND: i32 = 127;
        Self::new(
            TestingErrorType::CommandNotFound,
            format!("{step} command not found: {}", failed.command),
            json!({
                "command": failed.command,
                "exit_code": failed.exit_code.unwrap_or(NOT_FOUND),
                "stderr": failed.stderr,
                "suggestion": suggestion,
            }),
        )
    }

    pub fn timeout(command: &str, timeout_seconds: u64, retry_count: u64) -> Self {
        Self::new(
            TestingErrorType::Timeout,
            format!("Test execution exceeded the limit of {timeout_seconds} s"),
            json!({
                "command": command,
                "timeout_seconds": timeout_seconds,
                "retry_count": retry_count,
            }),
        )
    }

    pub fn permission_error(failed: FailedCommand<'_>) -> Self {
        Self::new(
            TestingErrorType::PermissionError,
            format!("Permission denied: {}", failed.command),
            json!({
                "command": failed.command,
                "exit_code": failed.exit_code,
                "stderr": failed.stderr,
            }),
        )
    }

    pub fn out_of_memory(failed: FailedCommand<'_>) -> Self {
        Self::new(
            TestingErrorType::OutOfMemory,
            format!("Out of memory while running: {}", failed.command),
            json!({
                "command": failed.command,
                "exit_code": failed.exit_code,
                "stderr": failed.stderr,
            }),
        )
    }

    /// Ctrl-C was pressed, or baton was ended in another way.
    pub fn interrupted(failed_count: u64, total_attempts: u64) -> Self {
        Self::new(
            TestingErrorType::UserAbort,
            "Interrupted before the tests were done",
            json!({ "failed_count": failed_count, "total_attempts": total_attempts }),
        )
    }

    pub fn user_abort(failed_count: u64, total_attempts: u64) -> Self {
        Self::new(
            TestingErrorType::UserAbort,
            "User chose to abort after the tests failed",
            json!({ "failed_count": failed_count, "total_attempts": total_attempts }),
        )
    }
}

impl TestingOutput {
    /// The answer to a request that was refused before anything ran.
    pub fn refused(language: Option<Language>, errors: Vec<TestingError>) -> Self {
        Self {
            status: Verdict::Fail,
            execution_time_ms: 0,
            retry_count: 0,
            tests_run: 0,
            tests_passed: 0,
            tests_failed: 0,
            build_status: StepStatus::Skipped,
            failing_tests: Vec::new(),
            language,
            test_command: None,
            build_command: None,
            errors,
        }
    }
}
