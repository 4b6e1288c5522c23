//! Reads Jest: the default, verbose, summary and GitHub Actions reporters, and
//! `--json`.

use baton_protocol::Confidence;
use serde::Deserialize;

use super::Tool;
use crate::documents::Document;
use crate::excerpt::Excerpt;
use crate::json;
use crate::place::looks_like_a_file;
use crate::session::{self, Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::javascript::Frames;
use crate::stack::trace;
use crate::tally;
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Json {
        has: |keys| keys.of_object(&["testResults", "numTotalTests", "numRuntimeErrorTestSuites"]),
        read: document,
    }),
    ..Tool::text::<Jest>(
        &[
            "PASS ",
            "FAIL ",
            "● ",
            "Test Suites: ",
            "Summary of all failing tests",
            "Jest: \"",
            "No tests found, exiting with code 1",
            "::group::Errors thrown in ",
            "##[group]Errors thrown in ",
        ],
        &[],
    )
};

#[derive(Default)]
struct Jest {
    session: Option<Session>,
    state: State,
    /// The test file whose result is being read.
    file: Option<String>,
    /// At the end of a long run, all failures are printed again.
    repeating: bool,
    suites_failed: u64,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below `  ● suite › test`.
    Failure(Box<Block>),
    /// Suites were counted; tests follow.
    Counting,
}

struct Block {
    /// None when the file as a whole failed to run.
    test: Option<String>,
    /// None if a CI removed the line that contained it.
    file: Option<String>,
    error: Excerpt,
    frames: Frames,
    /// The line that the code frame points at.
    pointed: Option<u64>,
    /// The title has ended: an empty line was seen.
    is_titled: bool,
}

const SUITE_FAILED: &str = "Test suite failed to run";

impl TextReader for Jest {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if let State::Failure(block) = &mut self.state {
            if block.take(text) {
                return;
            }
            self.close_failure();
        }
        self.session.reach(line.number);
        if let Some(file) = result_header(text).or_else(|| group_header(text)) {
            self.file = Some(file.to_owned());
            self.session(line.number);
        } else if let Some(title) = text.strip_prefix("  ● ") {
            self.title(title, line.number);
        } else if text.starts_with("Test Suites: ") {
            self.suites_failed = tally::count(text, "failed");
            self.session(line.number);
            self.state = State::Counting;
        } else if text.starts_with("Tests: ") && matches!(self.state, State::Counting) {
            self.finish(text, sessions);
        } else if text == "Summary of all failing tests" {
            self.repeating = true;
        } else if is_fatal(text) {
            self.session(line.number).broke = true;
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_failure();
        if let Some(mut session) = self.session.take()
            && (session.broke || self.file.is_some() && session.failed())
        {
            // Truncated before the summary: only the listed failures are known.
            let suites = session.failures.iter().filter(|f| is_suite(f)).count();
            session.counts.failed = (session.failures.len() - suites) as u64;
            session.counts.run = session.counts.failed;
            session.broke |= suites > 0 && session.counts.failed == 0;
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Jest {
    fn session(&mut self, number: u64) -> &mut Session {
        self.session.begin("jest", number)
    }

    fn title(&mut self, title: &str, number: u64) {
        if let Some(code) = title.strip_prefix(" process.exit called with ") {
            self.session(number).broke |= code != "\"0\"";
            return;
        }
        let is_note = title == "Console" || title.ends_with("Warning:");
        if is_note {
            return;
        }
        self.session(number);
        let file = self.file.clone();
        self.state = State::Failure(Box::new(Block {
            test: (title != SUITE_FAILED).then(|| title.replace(" › ", " > ")),
            frames: Frames::for_test_file(file.as_deref()),
            file,
            error: Excerpt::default(),
            pointed: None,
            is_titled: false,
        }));
    }

    fn close_failure(&mut self) {
        let State::Failure(block) = std::mem::take(&mut self.state) else {
            return;
        };
        let Some(session) = &mut self.session else {
            return;
        };
        let failure = block.failure();
        let is_known = |f: &Failure| {
            f.name == failure.name && f.file == failure.file && f.line == failure.line
        };
        if !(self.repeating && session.failures.iter().any(is_known)) {
            session.add(failure);
        }
    }

    fn finish(&mut self, text: &str, sessions: &mut Sessions) {
        if let Some(mut session) = self.session.take() {
            let count = |label| tally::count(text, label);
            session.evidence = match self.file {
                Some(_) => Evidence::Complete,
                None => Evidence::Summary,
            };
            session.counts.failed = count("failed");
            session.counts.passed = count("passed");
            session.counts.skipped = count("skipped") + count("todo") + count("pending");
            session.counts.run = session.counts.failed + session.counts.passed;
            session.broke |= self.suites_failed > 0 && session.counts.failed == 0;
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Block {
    /// Whether the line belongs to the failure: Jest indents all of it, except
    /// the rest of a title of several lines.
    fn take(&mut self, text: &str) -> bool {
        if text.is_empty() {
            self.is_titled = true;
        } else if !text.starts_with("    ") {
            match &mut self.test {
                Some(title) if !self.is_titled && title.len() < 1_000 => {
                    title.push(' ');
                    title.push_str(text.trim());
                }
                _ => return false,
            }
            return true;
        }
        self.push(text);
        true
    }

    fn push(&mut self, text: &str) {
        if !(self.error.is_empty() && text.is_empty()) {
            self.error.push(text);
        }
        self.frames.see(text);
        if self.pointed.is_none() {
            self.pointed = pointed_line(text);
        }
    }

    fn failure(self) -> Failure {
        let error = self.error.text();
        let named = |name: String| Failure::named(name).because(error);
        let Some(file) = self.file else {
            let name = self.test.unwrap_or_else(|| SUITE_FAILED.to_owned());
            return match self.frames.place() {
                Some((file, line)) => named(name).at(file, Some(*line)),
                None => named(name),
            };
        };
        let mut confidence = Confidence::High;
        let mut line = self.frames.line_in_test();
        // Without a stack, the code frame is in the test itself.
        if line.is_none() && self.test.is_some() && self.frames.is_empty() {
            confidence = Confidence::Medium;
            line = self.pointed;
        }
        named(self.test.unwrap_or_else(|| file.clone()))
            .at(file, line)
            .sure(confidence)
    }
}

fn is_suite(failure: &Failure) -> bool {
    failure.file.as_ref() == Some(&failure.name)
}

/// `PASS test/a.test.js (5.1 s, 60 MB heap size)`: the file. A project's name
/// may be before it.
fn result_header(text: &str) -> Option<&str> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    let mut rest = text
        .strip_prefix("PASS ")
        .or_else(|| text.strip_prefix("FAIL "))?
        .trim();
    while let Some((before, measure)) = rest.rsplit_once(" (")
        && measure.ends_with(')')
        && measure.starts_with(|c: char| c.is_ascii_digit())
    {
        rest = before;
    }
    if let Some((_, path)) = rest.rsplit_once("  ") {
        rest = path;
    }
    while let Some((word, path)) = rest.split_once(' ')
        && !word.contains(['/', '\\', '.'])
    {
        rest = path.trim_start();
    }
    looks_like_a_file(rest).then_some(rest)
}

/// The GitHub Actions reporter's line above the failures of a file.
fn group_header(text: &str) -> Option<&str> {
    text.strip_prefix("::group::")
        .or_else(|| text.strip_prefix("##[group]"))?
        .strip_prefix("Errors thrown in ")
}

fn is_fatal(text: &str) -> bool {
    text.starts_with("No tests found, exiting with code 1")
        || (text.starts_with("Jest: \"") && text.contains("threshold"))
        || text == "● Validation Error:"
}

/// The number in `    > 10 |   expect(a).toBe(b)`.
fn pointed_line(text: &str) -> Option<u64> {
    let (number, _) = text.trim_start().strip_prefix("> ")?.split_once(" |")?;
    number.trim().parse().ok()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    num_passed_tests: u64,
    num_failed_tests: u64,
    #[serde(default)]
    num_pending_tests: u64,
    #[serde(default)]
    num_todo_tests: u64,
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

fn document(text: &[u8]) -> Option<Session> {
    read_document("jest", text)
}

/// Vitest's `json` reporter writes the same shape.
pub(super) fn read_document(framework: &'static str, text: &[u8]) -> Option<Session> {
    let report: Report = json::first_value(text)?;
    let mut session = Session::new(framework, 1);
    let skipped = report.num_pending_tests;
    session.counts = session::counts(
        report.num_passed_tests,
        report.num_failed_tests,
        0,
        skipped.saturating_add(report.num_todo_tests),
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
            session.add(test_failure(&file.name, assertion));
        }
    }
    session.broke = report.success == Some(false);
    Some(session)
}

/// The file could not be loaded, or has no tests.
fn suite_failure(file: &str, message: &str) -> Failure {
    let message = trace::plain(message);
    Failure::named(file)
        .at(file, trace::line_in(file, &message))
        .because(trace::error("", &message))
}

fn test_failure(file: &str, assertion: &Assertion) -> Failure {
    let titles = assertion.ancestor_titles.iter().chain([&assertion.title]);
    let name = titles.map(String::as_str).collect::<Vec<_>>().join(" > ");
    let messages = assertion.failure_messages.as_deref().unwrap_or_default();
    let message = trace::plain(&messages.join("\n"));
    let location = assertion.location.as_ref();
    let line = trace::line_in(file, &message).or(location.and_then(|place| place.line));
    Failure::named(name)
        .at(file, line)
        .because(trace::error("", &message))
}
