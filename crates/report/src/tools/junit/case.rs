//! One `testcase` element, and the failure it becomes.

use baton_protocol::Confidence;
use quick_xml::events::BytesStart;

use super::Suite;
use super::dialect::Dialect;
use crate::place::same_file;
use crate::session::Failure;
use crate::stack::trace::{self, Own};
use crate::xml::{attribute, push_bounded};

#[derive(Default)]
pub(super) struct Case {
    /// The titles of the suites around it, from the outside in.
    pub(super) suites: String,
    pub(super) class: String,
    pub(super) name: String,
    pub(super) file: Option<String>,
    /// The file is the suite's, which may differ from the test's.
    file_is_of_suite: bool,
    line: Option<u64>,
    pub(super) outcome: Outcome,
    /// It represents a whole suite that failed.
    pub(super) is_a_suite: bool,
    message: String,
    pub(super) trace: String,
    output: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Outcome {
    #[default]
    Passed,
    Failed,
    Error,
    Skipped,
}

impl Outcome {
    pub(super) fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::Error)
    }
}

/// Enough to find a test's own frame below a hundred framework frames.
const MAX_TRACE_BYTES: usize = 64 << 10;
/// Displayed only if there is nothing else.
const MAX_OUTPUT_BYTES: usize = 4 << 10;

impl Case {
    pub(super) fn new(tag: &BytesStart<'_>) -> Self {
        let number = |name| attribute(tag, &[name]).and_then(|text| text.parse().ok());
        let status = attribute(tag, &["status", "result"]).unwrap_or_default();
        let was_not_run = ["notrun", "skipped", "disabled", "suppressed", "ignored"];
        Self {
            class: attribute(tag, &["classname", "class"]).unwrap_or_default(),
            name: attribute(tag, &["name"]).unwrap_or_default(),
            file: attribute(tag, &["file", "filepath"]),
            line: number("line").or_else(|| number("lineno")),
            outcome: if was_not_run.contains(&status.as_str()) {
                Outcome::Skipped
            } else {
                Outcome::Passed
            },
            ..Self::default()
        }
    }

    pub(super) fn for_suite(suite: &Suite) -> Self {
        Self {
            name: suite.name.clone(),
            is_a_suite: true,
            ..Self::default()
        }
    }

    /// Takes over what the enclosing suites know better.
    pub(super) fn locate(&mut self, suites: &[Suite]) {
        /// Deeper nesting is not realistic, and bounds the length of a hostile
        /// title.
        const MAX_DEPTH: usize = 50;
        let titles = suites
            .iter()
            .take(MAX_DEPTH)
            .map(|suite| suite.name.as_str());
        let titles: Vec<&str> = titles.filter(|title| !title.is_empty()).collect();
        self.suites = titles.join(" > ");
        if self.file.is_none()
            && let Some(file) = suites.last().and_then(|suite| suite.file.clone())
        {
            self.file = Some(file);
            self.file_is_of_suite = true;
        }
    }

    pub(super) fn problem(&mut self, outcome: Outcome, tag: &BytesStart<'_>) {
        let class = attribute(tag, &["type"]).unwrap_or_default();
        if class.ends_with("SkipException") || class.ends_with("AssumptionViolatedException") {
            // TestNG throws an exception to skip, and reports it.
            self.skip();
            return;
        }
        // A test may fail and then break in its teardown as well.
        if !self.outcome.is_bad() {
            self.outcome = outcome;
        }
        let message = attribute(tag, &["message", "type"]).unwrap_or_default();
        push_bounded(&mut self.message, &message, MAX_TRACE_BYTES);
        if !self.trace.is_empty() {
            self.push_trace("\n");
        }
    }

    pub(super) fn skip(&mut self) {
        if !self.outcome.is_bad() {
            self.outcome = Outcome::Skipped;
        }
    }

    pub(super) fn push_trace(&mut self, text: &str) {
        push_bounded(&mut self.trace, text, MAX_TRACE_BYTES);
    }

    pub(super) fn push_output(&mut self, text: &str) {
        push_bounded(&mut self.output, text, MAX_OUTPUT_BYTES);
    }

    /// Go's test2json takes a line `--- FAIL: TestX` that a test prints for the
    /// end of a test, but that test never began.
    pub(super) fn was_only_printed(&self) -> bool {
        self.outcome.is_bad()
            && self.trace.contains("--- FAIL: ")
            && !self.trace.contains("=== RUN ")
    }

    pub(super) fn into_failure(self, dialect: Dialect) -> Failure {
        let (name, file) = dialect.name_and_file(&self);
        let trace = trace::plain(&self.trace);
        let own = Own {
            file: file.as_deref(),
            class: (dialect.is_of_the_jvm()).then_some(self.class.as_str()),
        };
        // Some runners put the place into the message:
        // `a_test.cc:12\nExpected: …`.
        let found = dialect
            .place(&trace, own)
            .or_else(|| dialect.place(&self.message, own));
        // Go's message for every failure.
        let message = match self.message.as_str() {
            "Failed" => String::new(),
            message => trace::plain(message),
        };
        let error = trace::error(
            &message,
            &dialect.details(trace, trace::plain(&self.output)),
        );
        let mut failure = Failure::named(name).because(error);
        (failure.file, failure.line) = match (file, found) {
            (Some(file), Some((found, line))) if same_file(&file, &found) => {
                (Some(file), Some(line))
            }
            (Some(file), found) if !self.file_is_of_suite || found.is_none() => {
                (Some(file), self.line_of_definition(dialect))
            }
            (_, Some((found, line))) => (Some(found), Some(line)),
            (file, None) => (file, self.line_of_definition(dialect)),
        };
        if failure.file.is_none()
            && let Some(file) = dialect.likely_file(&self.class)
        {
            failure.file = Some(file);
            failure.confidence = Confidence::Medium;
        }
        failure
    }

    fn line_of_definition(&self, dialect: Dialect) -> Option<u64> {
        // pytest counts from zero here.
        self.line
            .map(|line| line.saturating_add(u64::from(dialect == Dialect::Pytest)))
    }
}
