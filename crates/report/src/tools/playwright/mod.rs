//! Reads Playwright: its `json` reporter, and those for people.

mod console;

use serde::Deserialize;

use super::Tool;
use crate::console::Console;
use crate::documents::Document;
use crate::json;
use crate::place::same_file;
use crate::session::{self, Failure, Session};
use crate::stack::trace;

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Json {
        has: |keys| keys.of_object(&["suites", "config"]),
        read: document,
    }),
    ..Tool::text::<Console<console::Lines>>(&["Running "], &[])
};

#[derive(Deserialize)]
struct Report {
    suites: Vec<Suite>,
    stats: Option<Stats>,
    #[serde(default)]
    errors: Vec<Problem>,
}

#[derive(Deserialize)]
struct Stats {
    #[serde(default)]
    expected: u64,
    #[serde(default)]
    unexpected: u64,
    #[serde(default)]
    flaky: u64,
    #[serde(default)]
    skipped: u64,
}

#[derive(Deserialize)]
struct Suite {
    title: String,
    #[serde(default)]
    specs: Vec<Spec>,
    #[serde(default)]
    suites: Vec<Suite>,
}

#[derive(Deserialize)]
struct Spec {
    title: String,
    file: Option<String>,
    line: Option<u64>,
    #[serde(default)]
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    project_name: Option<String>,
    /// `expected`, `unexpected`, `flaky` or `skipped`.
    status: String,
    #[serde(default)]
    results: Vec<Attempt>,
}

#[derive(Deserialize)]
struct Attempt {
    error: Option<Problem>,
}

#[derive(Deserialize)]
struct Problem {
    message: Option<String>,
    stack: Option<String>,
    location: Option<Location>,
}

#[derive(Deserialize)]
struct Location {
    file: String,
    line: u64,
}

fn document(text: &[u8]) -> Option<Session> {
    let report: Report = json::first_value(text)?;
    let mut session = Session::new("playwright", 1);
    if let Some(stats) = report.stats {
        let passed = stats.expected.saturating_add(stats.flaky);
        session.counts = session::counts(passed, stats.unexpected, 0, stats.skipped);
    }
    for file in &report.suites {
        // The outermost suite is the file, which is not part of a test's name.
        collect(file, &mut Vec::new(), &mut session);
    }
    for problem in &report.errors {
        session.broke = true;
        session.add(described(Failure::named("error outside of tests"), problem));
    }
    Some(session)
}

fn collect<'a>(suite: &'a Suite, titles: &mut Vec<&'a str>, session: &mut Session) {
    for spec in &suite.specs {
        for test in spec.tests.iter().filter(|test| test.status == "unexpected") {
            session.add(failure(titles, spec, test));
        }
    }
    for inner in &suite.suites {
        titles.push(&inner.title);
        collect(inner, titles, session);
        titles.pop();
    }
}

fn failure(titles: &[&str], spec: &Spec, test: &Test) -> Failure {
    let mut parts = titles.to_vec();
    parts.push(&spec.title);
    let mut name = parts.join(" › ");
    if let Some(project) = test.project_name.as_deref().filter(|name| !name.is_empty()) {
        name = format!("[{project}] › {name}");
    }
    let mut failure = Failure::named(name);
    failure.file.clone_from(&spec.file);
    failure.line = spec.line;
    match test
        .results
        .iter()
        .rev()
        .find_map(|attempt| attempt.error.as_ref())
    {
        Some(problem) => described(failure, problem),
        None => failure,
    }
}

fn described(mut failure: Failure, problem: &Problem) -> Failure {
    if let Some(location) = &problem.location {
        let own = failure.file.as_deref();
        if own.is_none_or(|file| same_file(&location.file, file)) {
            failure = failure.at(&location.file, Some(location.line));
        }
    }
    let message = trace::plain(problem.message.as_deref().unwrap_or_default());
    let stack = trace::plain(problem.stack.as_deref().unwrap_or_default());
    failure.because(trace::error(&message, &stack))
}
