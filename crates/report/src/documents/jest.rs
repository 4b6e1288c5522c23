//! Reads `jest --json`, and vitest's `json` reporter, which has the same shape.

use serde::Deserialize;

use super::trace::{self, Own};
use crate::session::{Failure, Session};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    num_passed_tests: u64,
    num_failed_tests: u64,
    #[serde(default)]
    num_pending_tests: u64,
    #[serde(default)]
    num_todo_tests: u64,
    /// Only jest has it.
    num_runtime_error_test_suites: Option<u64>,
    success: Option<bool>,
    test_results: Vec<File>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    name: String,
    status: Option<String>,
    message: Option<String>,
    #[serde(default)]
    assertion_results: Vec<Assertion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Assertion {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    failure_messages: Option<Vec<String>>,
    location: Option<Location>,
}

#[derive(Deserialize)]
struct Location {
    line: Option<u64>,
}

pub(super) fn read(text: &[u8]) -> Option<Session> {
    let report: Report = super::first_value(text)?;
    let framework = match report.num_runtime_error_test_suites {
        Some(_) => "jest",
        None => "vitest",
    };
    let mut session = Session::new(framework, 1);
    session.counts = super::counts(
        report.num_passed_tests,
        report.num_failed_tests,
        0,
        report
            .num_pending_tests
            .saturating_add(report.num_todo_tests),
    );
    for file in report.test_results {
        let failed = |a: &&Assertion| a.status == "failed";
        if file.status.as_deref() == Some("failed")
            && let Some(message) = file
                .message
                .as_deref()
                .filter(|text| !text.trim().is_empty())
            && file.assertion_results.iter().find(failed).is_none()
        {
            session.add(suite_failure(&file.name, message));
        }
        for assertion in file.assertion_results.iter().filter(failed) {
            session.add(failure(&file.name, assertion));
        }
    }
    session.broke = report.success == Some(false);
    Some(session)
}

/// The file could not be loaded, or has no tests.
fn suite_failure(file: &str, message: &str) -> Failure {
    let message = trace::plain(message);
    let place = trace::place(
        &message,
        Own {
            file: Some(file),
            class: None,
        },
    );
    let line = place.filter(|(found, _)| trace::same_file(found, file));
    Failure::named(file)
        .at(file, line.map(|(_, line)| line))
        .because(trace::error("", &message))
}

fn failure(file: &str, assertion: &Assertion) -> Failure {
    let mut name = assertion.ancestor_titles.join(" > ");
    if !name.is_empty() {
        name.push_str(" > ");
    }
    name.push_str(&assertion.title);
    let messages = assertion.failure_messages.as_deref().unwrap_or_default();
    let message = trace::plain(&messages.join("\n"));
    let own = Own {
        file: Some(file),
        class: None,
    };
    let line = trace::place(&message, own)
        .filter(|(found, _)| trace::same_file(found, file))
        .map(|(_, line)| line)
        .or_else(|| assertion.location.as_ref().and_then(|place| place.line));
    Failure::named(name)
        .at(file, line)
        .because(trace::error("", &message))
}
