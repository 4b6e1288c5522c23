//! Reads the JSON of the plugin `pytest-json-report`.

use serde::Deserialize;

use crate::documents::Document;
use crate::json;
use crate::session::{self, Failure, Session};
use crate::stack::trace;

pub(super) const DOCUMENT: Document = Document::Json {
    has: |keys| {
        keys.of_object(&["exitcode", "summary"])
            && (keys.of_object(&["tests"]) || keys.of_object(&["collectors"]))
    },
    read,
};

#[derive(Deserialize)]
struct Report {
    exitcode: i64,
    summary: Summary,
    #[serde(default)]
    collectors: Vec<Collector>,
    #[serde(default)]
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(default)]
    passed: u64,
    #[serde(default)]
    failed: u64,
    #[serde(default)]
    error: u64,
    #[serde(default)]
    skipped: u64,
    #[serde(default)]
    xfailed: u64,
    #[serde(default)]
    xpassed: u64,
}

#[derive(Deserialize)]
struct Collector {
    nodeid: String,
    outcome: String,
    longrepr: Option<String>,
}

#[derive(Deserialize)]
struct Test {
    nodeid: String,
    /// The line of the definition, counted from zero.
    lineno: Option<u64>,
    outcome: String,
    setup: Option<Stage>,
    call: Option<Stage>,
    teardown: Option<Stage>,
}

#[derive(Deserialize)]
struct Stage {
    outcome: String,
    crash: Option<Crash>,
    longrepr: Option<String>,
}

#[derive(Deserialize)]
struct Crash {
    message: Option<String>,
}

fn read(text: &[u8]) -> Option<Session> {
    let report: Report = json::first_value(text)?;
    let mut session = Session::new("pytest", 1);
    let summary = report.summary;
    let mut errors = summary.error;
    for collector in report.collectors {
        if collector.outcome == "failed" {
            errors = errors.saturating_add(1);
            session.add(collection_error(&collector));
        }
    }
    session.counts = session::counts(
        // An unexpected pass is a failure only in strict mode, and then pytest
        // counts it as failed.
        summary.passed.saturating_add(summary.xpassed),
        summary.failed,
        errors,
        summary.skipped.saturating_add(summary.xfailed),
    );
    for test in report.tests {
        if test.outcome == "failed" || test.outcome == "error" {
            session.add(failure(test));
        }
    }
    // Above 1, pytest itself was interrupted or misused; 5 is "no tests".
    session.broke = report.exitcode > 1 && report.exitcode != 5;
    Some(session)
}

fn collection_error(collector: &Collector) -> Failure {
    let text = collector.longrepr.as_deref().unwrap_or_default();
    let file = collector.nodeid.as_str();
    let line = trace::line_in(file, text);
    Failure::named(file)
        .at(file, line)
        .because(trace::error("", text))
}

fn failure(test: Test) -> Failure {
    let stage = [test.call, test.setup, test.teardown]
        .into_iter()
        .flatten()
        .find(|stage| stage.outcome == "failed");
    let (message, traceback) = stage.map_or_else(Default::default, |stage| {
        let message = stage.crash.and_then(|crash| crash.message);
        (
            message.unwrap_or_default(),
            stage.longrepr.unwrap_or_default(),
        )
    });
    let file = test
        .nodeid
        .split("::")
        .next()
        .unwrap_or_default()
        .to_owned();
    let line = trace::line_in(&file, &traceback).or(test.lineno.map(|line| line.saturating_add(1)));
    Failure::named(test.nodeid)
        .at(file, line)
        .because(trace::error(&message, &traceback))
}
